use super::*;

#[test]
fn removing_the_gone_keeps_birth_order_and_rows_together() {
    let mut p = Particles::default();
    for id in 0..6 {
        let x = id as Real;
        p.push(
            id,
            &Birth {
                position: Point3::new(x, 0.0, 0.0),
                velocity: Vec3::zeros(),
                radius: x + 1.0,
                material: id as u16,
                time: 0.0,
                key: id,
            },
        );
    }
    p.status[1] = Status::Died;
    p.status[4] = Status::Lost;
    p.remove_gone();
    assert_eq!(p.id, [0, 2, 3, 5]);
    assert_eq!(p.status, [Status::Airborne; 4]);
    for i in 0..p.len() {
        let x = p.id[i] as Real;
        assert_eq!(
            (p.position[i].x, p.radius[i], p.material[i]),
            (x, x + 1.0, p.id[i] as u16)
        );
    }
    assert_eq!((p.velocity.len(), p.normal.len(), p.triangle.len()), (4, 4, 4));
    assert_eq!((p.key, p.born.len()), (vec![0, 2, 3, 5], 4));
}

#[test]
fn many_births_are_appended_as_one_after_the_other() {
    let births: Vec<Birth> = (0..2 * MANY)
        .map(|i| {
            let x = i as Real;
            Birth {
                position: Point3::new(x, -x, 1.0),
                velocity: Vec3::new(0.0, x, 2.0),
                radius: 1.0 + x,
                material: (i % 7) as u16,
                time: 0.5 * x,
                key: 3 * i as u64,
            }
        })
        .collect();
    let (mut one, mut all) = (Particles::default(), Particles::default());
    births.iter().zip(5..).for_each(|(b, id)| one.push(id, b));
    all.push_all(5, &births[..1]);
    all.push_all(6, &births[1..]);
    assert_eq!(one, all);
}
