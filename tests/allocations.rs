//! Steps ask for no memory, and particles take little of it: counted by an allocator of this test's own.

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};

use partsim::math::{Point3, Vec3};
use support::{Run, closed_box, contact, scene};

struct Counting;

static CALLS: AtomicUsize = AtomicUsize::new(0);
static HELD: AtomicIsize = AtomicIsize::new(0);

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        HELD.fetch_add(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What a run of `count` particles asks for in ten steps after its first two, and the bytes a particle it holds then.
fn taken(count: usize) -> (usize, f64) {
    let meshes = vec![closed_box(Vec3::repeat(1.0))];
    let mut run = Run::new(&scene(&meshes, contact(0.8, 0.1)), meshes);
    let held = HELD.load(Ordering::Relaxed);
    for i in 0..count {
        let place = [7, 11, 13].map(|k| (i * k % 101) as f64 / 101.0);
        let place = Point3::new(2.0 * place[0] - 1.0, 1.05 + 0.3 * place[1], 2.0 * place[2] - 1.0);
        run.add(place, Vec3::new(0.3, -1.0, 0.0), 0.01);
    }
    run.steps(2);
    let calls = CALLS.load(Ordering::Relaxed);
    run.steps(10);
    let calls = CALLS.load(Ordering::Relaxed) - calls;
    assert!(run.state.tally.contacts > count as u64 / 4, "they touch the box");
    let bytes = HELD.load(Ordering::Relaxed) - held;
    (calls, bytes as f64 / count as f64)
}

/// One test, because others beside it would be counted too.
#[test]
fn steps_ask_for_no_memory_and_a_particle_takes_120_bytes_at_most() {
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("a pool");
        pool.install(|| {
            // Powers of two: columns that grow as particles are born hold no more than they need.
            for count in [1 << 10, 1 << 17] {
                let (calls, bytes) = taken(count);
                // A pool of threads asks for a block now and then, however many particles there are.
                assert!(
                    calls <= 16,
                    "{calls} requests in ten steps of {count} particles, {threads} threads"
                );
                assert!(bytes <= 120.0 || count < 1 << 17, "{bytes} bytes a particle");
            }
        });
    }
}
