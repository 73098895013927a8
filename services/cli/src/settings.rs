//! Where the servers are: flags first, then the environment, then the file of the stack that the make targets started.

pub mod file;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use platform::config::{Secret, Source};

use crate::failure::Failure;
use crate::terminal::tell;

/// The run folder's name where it lies beside the sources.
const RUN_FOLDER: &str = ".run";

/// All settings of one call.
pub struct Settings<'a> {
    flags: BTreeMap<&'static str, String>,
    environment: &'a dyn Source,
    file: Option<RunFile>,
    /// Where the file was looked for.
    path: Option<PathBuf>,
    /// Whether it has been said that the file is used.
    told: Cell<bool>,
}

struct RunFile {
    path: PathBuf,
    values: BTreeMap<String, String>,
}

impl<'a> Settings<'a> {
    /// Settings from `flags` (by the name of the variable that each stands for), `environment`, and the file `env` in
    /// `run`, in `$ACUSE_RUN`, or in the nearest `.run` from `folder` upwards.
    ///
    /// # Errors
    ///
    /// When `run` holds no such file, or the file that there is cannot be read.
    pub fn find(
        flags: BTreeMap<&'static str, String>,
        environment: &'a dyn Source,
        run: Option<&Path>,
        folder: &Path,
    ) -> Result<Self, Failure> {
        let named = run
            .map(Path::to_owned)
            .or_else(|| environment.get("ACUSE_RUN").map(PathBuf::from));
        let path = match named {
            Some(run) => Some(run.join("env")),
            None => nearest(folder),
        };
        let file = path.as_deref().map(read).transpose()?.flatten();
        if let (Some(_), None, Some(path)) = (run, &file, &path) {
            return Err(Failure::Usage(format!(
                "--run: there is no {}; `make up` writes it",
                path.display()
            )));
        }
        Ok(Self {
            flags,
            environment,
            file,
            path,
            told: Cell::new(false),
        })
    }

    /// The setting.
    ///
    /// # Errors
    ///
    /// When it is set nowhere; says where it was looked for and what to do.
    pub fn required(&self, name: &'static str) -> Result<String, Failure> {
        let before = self.flags.get(name).cloned().or_else(|| self.environment.get(name));
        before.or_else(|| self.in_file(name)).ok_or_else(|| {
            let looked = match (&self.file, &self.path) {
                (Some(_), Some(path)) => format!("{} does not have it either", path.display()),
                (_, Some(path)) => format!("there is no {}", path.display()),
                (_, None) => "no run folder was found (--run DIR, $ACUSE_RUN, or .run here or above)".to_owned(),
            };
            Failure::Usage(format!(
                "{name} is not set, and {looked}.\n`make up` starts a stack and writes the file env in its run folder"
            ))
        })
    }

    /// The setting, not to be shown.
    ///
    /// # Errors
    ///
    /// See [`Settings::required`].
    pub fn secret(&self, name: &'static str) -> Result<Secret, Failure> {
        let text = self.required(name)?;
        text.parse().map_err(|never: std::convert::Infallible| match never {})
    }

    fn in_file(&self, name: &str) -> Option<String> {
        let file = self.file.as_ref()?;
        let value = file.values.get(name).filter(|value| !value.is_empty())?;
        if !self.told.replace(true) {
            tell(&format!("settings from {}", file.path.display()));
        }
        Some(value.clone())
    }
}

fn nearest(folder: &Path) -> Option<PathBuf> {
    let candidates = folder.ancestors().map(|folder| folder.join(RUN_FOLDER).join("env"));
    let path = candidates.into_iter().find(|path| path.is_file())?;
    Some(path.strip_prefix(folder).map(Path::to_owned).unwrap_or(path))
}

/// `None` where there is no file.
fn read(path: &Path) -> Result<Option<RunFile>, Failure> {
    let failed = |reason: &dyn std::fmt::Display| Failure::Usage(format!("{}: {reason}", path.display()));
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(&error)),
    };
    let mut text = String::new();
    file.take(file::FILE_BYTES_MAX)
        .read_to_string(&mut text)
        .map_err(|error| failed(&error))?;
    let values = file::parse(&text).map_err(|error| failed(&error))?;
    Ok(Some(RunFile {
        path: path.to_owned(),
        values,
    }))
}
