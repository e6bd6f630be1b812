"""One file for each kind of thing that labeldp-audit takes from other packages; pyproject.toml names them."""
