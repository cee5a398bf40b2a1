import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../../../base/errors.ts'
import type { Endpoints } from '../../../testing/local/sdk/clients.ts'
import { lockFolder } from './folderLock.ts'

const FOLDER = '.lineclear'
/** Relative to the working directory, as `lineclear --local` reads it. */
const LOG = `${FOLDER}/dev.log`

/** The files by which `lineclear --local` finds the cloud. */
interface LocalFiles {
  /** A line of a function: why copies were dropped, which no table keeps. */
  log(line: string): void
  tell(cloud: Endpoints & { readonly table: string; readonly lambda: string }): void
  remove(): void
}

/** @throws ConfigError when another local cloud is up in this folder; nothing of it is touched */
export async function openLocalFiles(cwd: string): Promise<LocalFiles> {
  const release = await lockFolder(cwd, () => undefined)
  if (release === undefined) throw new ConfigError(TAKEN)
  const folder = join(cwd, FOLDER)
  const cloudFile = join(folder, 'local.json')
  mkdirSync(folder, { recursive: true })
  // Of one that a killed dev has left the mode would stay. Handlers log what they like.
  rmSync(join(cwd, LOG), { force: true })
  const log = openSync(join(cwd, LOG), 'wx', 0o600)
  return {
    log: (line) => void writeSync(log, `${line}\n`),
    tell: (cloud) =>
      writeFileSync(cloudFile, `${JSON.stringify({ ...cloud, log: LOG }, undefined, 2)}\n`),
    remove: () => {
      closeSync(log)
      for (const file of [cloudFile, join(cwd, LOG)]) rmSync(file, { force: true })
      if (readdirSync(folder).length === 0) rmdirSync(folder)
      release()
    },
  }
}

const TAKEN =
  'another lineclear dev, or a demo, is up in this folder: end it first, or start this one in another folder.'
