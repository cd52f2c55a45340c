"""Files as they lie on a shared drive after years of use; see `benchmarks.shelf_folder`."""
