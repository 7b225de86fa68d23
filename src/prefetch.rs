//! A hint to the processor that an element is needed soon. It changes no result; where there is no such hint it does
//! nothing.

/// Asks for the memory of an element, if there is one, without waiting for it.
#[inline]
pub(crate) fn prefetch<T>(column: &[T], row: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = column.get(row) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let first = std::ptr::from_ref(element).cast::<i8>();
        let last = first.wrapping_add(size_of::<T>().saturating_sub(1));
        // SAFETY: every x86-64 processor has the instruction, and it reads nothing and never faults.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(first);
            _mm_prefetch::<_MM_HINT_T0>(last);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (column, row);
}
