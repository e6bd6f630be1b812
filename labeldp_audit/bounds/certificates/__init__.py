"""What holds whatever the population is: limits that assume nothing of eta."""
