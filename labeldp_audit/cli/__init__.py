"""The command line: options, configuration, and where reports go."""
