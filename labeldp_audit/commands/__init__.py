"""One file per subcommand: read, compute, return a Report."""
