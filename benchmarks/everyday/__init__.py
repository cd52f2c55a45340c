"""Files as offices, sites and programs write them every day; see `benchmarks.everyday_folder`."""
