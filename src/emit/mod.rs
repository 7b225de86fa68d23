//! Births: where, when and how fast particles appear.
