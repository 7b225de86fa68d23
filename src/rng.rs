//! Random draws that depend on identity, never on thread or call order.
