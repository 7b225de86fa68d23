//! The scripts of a Slurm farm: most stand beside this file as they are; what differs is in `settings.sh`.

use std::path::Path;

use super::Job;
use crate::error::{Error, Result};

/// Name and text of every script.
pub fn scripts(job: &Job) -> Result<Vec<(&'static str, String)>> {
    let mut scripts = vec![
        ("settings.sh", settings(job)?),
        ("submit.sh", include_str!("slurm/submit.sh").into()),
        ("pictures.sh", include_str!("slurm/pictures.sh").into()),
        ("film.sh", include_str!("slurm/film.sh").into()),
        ("render.sh", include_str!("../../render.sh").into()),
    ];
    if job.shards > 1 {
        scripts.push(("shards.sh", include_str!("slurm/shards.sh").into()));
        scripts.push(("merge.sh", include_str!("slurm/merge.sh").into()));
    } else {
        scripts.push(("simulate.sh", include_str!("slurm/simulate.sh").into()));
    }
    Ok(scripts)
}

fn settings(job: &Job) -> Result<String> {
    Ok(format!(
        "# What all jobs of this farm share. Made to be edited.\n\
         NAME={}\n\
         PARTSIM={}\n\
         SCENE={}\n\
         RUN={}\n\
         FRAMES={}\n\
         # Jobs that simulate. To change this, delete the scripts and call `partsim farm slurm` again.\n\
         SHARDS={}\n\
         # Jobs that render, each a range of frames.\n\
         TASKS={}\n\
         # Pictures, as render.sh takes them (./render.sh --help), and whether they become a film.\n\
         SIZE=1280x720\n\
         QUALITY=normal\n\
         FILM={}\n\
         # More for sbatch, for example OPTIONS=(--partition=long --time=4:00:00 --mem=4G)\n\
         OPTIONS=()\n\
         # More for `partsim run`, for example RUN_OPTIONS=(--checkpoint-every 300)\n\
         RUN_OPTIONS=()\n",
        job.name,
        quoted(&job.program)?,
        quoted(&job.scene)?,
        quoted(&job.run)?,
        job.frames,
        job.shards,
        job.tasks,
        if job.frames > 1 { "yes" } else { "no" }
    ))
}

/// A path as one word of a shell.
fn quoted(path: &Path) -> Result<String> {
    let text = path.to_str().ok_or_else(|| {
        Error::Usage(format!(
            "{}: scripts can name only files whose names are UTF-8; rename it",
            path.display()
        ))
    })?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if text.chars().all(plain) {
        return Ok(text.to_owned());
    }
    Ok(format!("'{}'", text.replace('\'', r"'\''")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_is_one_word() {
        let word = |text: &str| quoted(Path::new(text)).expect("a word");
        assert_eq!(word("/a/b-c_d.ron"), "/a/b-c_d.ron");
        assert_eq!(word("/it's $HOME"), r"'/it'\''s $HOME'");
    }
}
