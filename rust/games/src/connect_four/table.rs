//! The memory of a search.

use super::node::Bounds;

/// The location of a position's entry: no two keys share both fields.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) slot: usize,
    pub(super) tag: u64,
}

/// Bounds of searched positions, in a fixed amount of memory.
pub(super) struct Table {
    /// Slots of `WAYS` entries. From the highest bit: the tag, the bit length of the number of positions
    /// searched (0 only in an unused entry), the lower and the upper bound.
    entries: Vec<u64>,
    /// Entries before the first slot, so that none straddles cache lines.
    skipped: usize,
    key_bits: u32,
    tag_bits: u32,
}

impl Table {
    pub(super) const WAYS: usize = 4;
    const FIELD: u32 = 6;
    const FIELDS: u32 = 3 * Self::FIELD;
    /// Offset that makes a bound positive.
    const OFFSET: i32 = 32;

    pub(super) fn new(bytes: usize, key_bits: u32) -> Self {
        let slot_bits = (bytes / (8 * Self::WAYS)).max(1).ilog2();
        let least = key_bits.saturating_sub(u64::BITS - Self::FIELDS);
        let slot_bits = slot_bits.clamp(least, key_bits.saturating_sub(1).max(least));
        let entries = vec![0_u64; (Self::WAYS << slot_bits) + Self::WAYS];
        let skipped = entries.as_ptr().align_offset(8 * Self::WAYS).min(Self::WAYS);
        Self { entries, skipped, key_bits, tag_bits: key_bits - slot_bits }
    }

    #[inline]
    pub(super) const fn place(&self, key: u64) -> Place {
        // An odd factor permutes the keys; the highest bits of the product are the best mixed.
        let mixed = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) << (u64::BITS - self.key_bits)
            >> (u64::BITS - self.key_bits);
        let slot = (mixed >> self.tag_bits) as usize;
        Place { slot: self.skipped + slot * Self::WAYS, tag: mixed & ((1 << self.tag_bits) - 1) }
    }

    #[inline]
    pub(super) fn slot(&self, place: Place) -> [u64; Self::WAYS] {
        *self.entries[place.slot..].first_chunk().expect("slots are whole")
    }

    #[inline]
    pub(super) fn find(slot: &[u64; Self::WAYS], place: Place) -> Option<Bounds> {
        let known = |&entry: &u64| entry >> Self::FIELDS == place.tag && entry != 0;
        slot.iter().copied().find(known).map(Self::bounds)
    }

    const fn bounds(entry: u64) -> Bounds {
        let low = Self::field(entry, 1) as i32 - Self::OFFSET;
        let high = Self::field(entry, 0) as i32 - Self::OFFSET;
        Bounds { low, high }
    }

    const fn field(entry: u64, index: u32) -> u64 {
        (entry >> (index * Self::FIELD)) & ((1 << Self::FIELD) - 1)
    }

    /// Adds proven bounds to the position's entry, or replaces the entry that took the least work.
    #[inline]
    pub(super) fn put(&mut self, place: Place, mut bounds: Bounds, work: u64) {
        let slot = &mut self.entries[place.slot..place.slot + Self::WAYS];
        let known = |&entry: &u64| entry >> Self::FIELDS == place.tag && entry != 0;
        let mut length = u64::from(u64::BITS - work.leading_zeros()).min(63);
        let way = if let Some(way) = slot.iter().position(known) {
            bounds = bounds.and(Self::bounds(slot[way]));
            length = length.max(Self::field(slot[way], 2));
            way
        } else {
            let length = |&way: &usize| Self::field(slot[way], 2);
            (0..Self::WAYS).min_by_key(length).expect("slots have ways")
        };
        let low = bounds.low.max(-Self::OFFSET) + Self::OFFSET;
        let high = bounds.high.min(Self::OFFSET - 1) + Self::OFFSET;
        let fields = length << (2 * Self::FIELD) | (low as u64) << Self::FIELD | high as u64;
        slot[way] = place.tag << Self::FIELDS | fields;
    }
}
