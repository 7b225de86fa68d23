//! Numbers joined into sets: who hangs together with whom, the lowest number first.
//!
//! A forest with halved paths (Tarjan & van Leeuwen 1984, Worst-case analysis of set union algorithms); the root is the lowest
//! number, so sets do not depend on the order in which they were joined.

/// Disjoint sets of the numbers 0 .. n.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sets {
    above: Vec<u32>,
}

impl Sets {
    /// Each of `count` numbers by itself.
    pub fn new(count: usize) -> Self {
        Self {
            above: (0..count as u32).collect(),
        }
    }

    /// The lowest number of the set that holds `i`.
    pub fn root(&mut self, mut i: u32) -> u32 {
        while self.above[i as usize] != i {
            let above = self.above[self.above[i as usize] as usize];
            self.above[i as usize] = above;
            i = above;
        }
        i
    }

    /// Makes one set of two.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.above[a.max(b) as usize] = a.min(b);
    }

    /// All sets, each ascending, in the order of their lowest numbers.
    pub fn all(mut self) -> Vec<Vec<u32>> {
        let mut sets: Vec<Vec<u32>> = Vec::new();
        let mut set_of = vec![0; self.above.len()];
        for i in 0..self.above.len() as u32 {
            let root = self.root(i);
            if root == i {
                set_of[i as usize] = sets.len();
                sets.push(Vec::new());
            }
            sets[set_of[root as usize]].push(i);
        }
        sets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_do_not_depend_on_the_order_of_joins() {
        let pairs = [(4, 2), (0, 5), (2, 6), (6, 4)];
        let sets = |order: &[usize]| {
            let mut sets = Sets::new(8);
            order.iter().for_each(|&k| sets.join(pairs[k].0, pairs[k].1));
            sets.all()
        };
        let expected = [vec![0, 5], vec![1], vec![2, 4, 6], vec![3], vec![7]];
        assert_eq!(sets(&[0, 1, 2, 3]), expected);
        assert_eq!(sets(&[3, 2, 1, 0]), expected);
    }
}
