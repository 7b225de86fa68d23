//! First touch of a moving ball with the world.
