//! What a touch does: one model for all materials, numbers in, a decision out.
//!
//! The decision knows one particle and one contact; it never looks up colliders and never draws random numbers.

mod bounce;
pub mod drift;
pub mod resting;
pub mod splash;

use crate::material::{Contact, Stick};
use crate::math::{Real, Vec3};
use crate::scene::Response;

/// What becomes of the particle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// It goes on with this velocity [m/s]; `leaves` tells a bounce from a slide.
    Moves {
        /// Velocity after the touch.
        velocity: Vec3,
        /// Whether it moves away from the surface.
        leaves: bool,
    },
    /// It stays where it is for good.
    Sticks,
    /// It ends.
    Dies,
}

/// The numbers that hold where a material meets a surface; `None`: the surface ends particles.
pub fn between(material: &Contact, surface: &Response) -> Option<Contact> {
    match *surface {
        Response::Material => Some(*material),
        Response::Stick => Some(Contact {
            stick: Stick::Always,
            ..*material
        }),
        Response::Slide { friction } => Some(Contact {
            restitution: 0.0,
            friction,
            stick: Stick::Never,
        }),
        Response::Bounce {
            restitution,
            friction,
        } => Some(Contact {
            restitution,
            friction,
            stick: Stick::Never,
        }),
        Response::Die => None,
    }
}

/// Answers to a touch with the unit normal `normal` at this velocity [m/s]. A rebound slower than `least_rebound` [m/s]
/// is none (see [`resting::least_rebound`]).
pub fn answer(contact: Option<&Contact>, velocity: &Vec3, normal: &Vec3, least_rebound: Real) -> Outcome {
    let Some(contact) = contact else {
        return Outcome::Dies;
    };
    let held = match contact.stick {
        Stick::Always => true,
        Stick::Below(speed) => velocity.norm_squared() <= speed * speed,
        Stick::Never => false,
    };
    if held {
        return Outcome::Sticks;
    }
    bounce::rebound(contact, velocity, normal, least_rebound)
}
