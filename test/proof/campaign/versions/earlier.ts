import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import type { Version } from './version.ts'

/** The first commit of format 1 as it stands: before it payloads were compared by other hashes, and no version was published. */
const COMMIT = 'fe1f905697b728b518f8eeb79a674616ac0cf3cf'
const ROOT = resolve(import.meta.dirname, '../../../..')

/** Where that version lies, with its tests, whose handlers speak its names. Node runs it as it stands, with the packages of this checkout. */
export const EARLIER: string = join(ROOT, '.lineclear/versions', COMMIT)

/** Unpacks it from the history of this repository, once. A shallow clone asks where it came from. */
export function unpackEarlier(): void {
  if (existsSync(EARLIER)) return
  const isHere = git('cat-file', '-e', COMMIT) || git('fetch', '--depth', '1', 'origin', COMMIT)
  if (!isHere) {
    throw new Error(
      `the version of format 1 (commit ${COMMIT.slice(0, 7)}) is not in the history of this clone, and cannot be fetched: git fetch --unshallow`,
    )
  }
  const versions = resolve(EARLIER, '..')
  mkdirSync(versions, { recursive: true })
  const folder = mkdtempSync(join(versions, 'unpacking-'))
  const archive = join(folder, 'archive.tar')
  run('git', 'archive', '-o', archive, COMMIT, 'src', 'examples', 'test', 'package.json')
  run('tar', '-xf', archive, '-C', folder)
  rmSync(archive)
  shareOutside(folder)
  renameSync(folder, EARLIER)
}

/** The systems outside, which the examples keep in memory, are the same for both versions. */
function shareOutside(folder: string): void {
  for (const example of readdirSync(join(folder, 'examples'))) {
    const outside = join('examples', example, 'payments.ts')
    if (!existsSync(join(folder, outside))) continue
    rmSync(join(folder, outside))
    symlinkSync(join(ROOT, outside), join(folder, outside))
  }
}

function git(...args: string[]): boolean {
  return spawnSync('git', args, { cwd: ROOT, stdio: 'ignore' }).status === 0
}

function run(program: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(program, args, { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
}

/** That version, as far as campaigns use it. */
export async function loadEarlier(): Promise<Version> {
  const own = join(EARLIER, 'test/proof/campaign/versions/version.ts')
  const { PRESENT } = (await import(own)) as { readonly PRESENT: Version }
  return PRESENT
}

/** What a version stores and sends in each life, and what becomes of what another one has left. */
export type Formats = Pick<
  typeof import('../../formats/library.ts'),
  'beginAll' | 'endAll' | 'ENDS' | 'loadLibrary' | 'recorded'
>

export function loadEarlierFormats(): Promise<Formats> {
  return import(join(EARLIER, 'test/proof/formats/library.ts')) as Promise<Formats>
}
