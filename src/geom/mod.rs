//! Pure functions on values, one geometric question a file.
