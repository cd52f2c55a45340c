"""What the program is made of: known flaws of its dependencies, and the bill of materials."""
