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

/** The commit of version 0.2.0. */
const COMMIT = 'da24e6e36cd64a46f3759970bfae168a1d21e627'
const ROOT = resolve(import.meta.dirname, '../../../..')

/** Where the source of version 0.2.0 lies. Node runs it as it stands, with the packages of this checkout. */
export const EARLIER: string = join(ROOT, '.lineclear/versions', COMMIT)

/** Unpacks version 0.2.0 from the history of this repository, once. A shallow clone asks where it came from. */
export function unpackEarlier(): void {
  if (existsSync(EARLIER)) return
  const isHere = git('cat-file', '-e', COMMIT) || git('fetch', '--depth', '1', 'origin', COMMIT)
  if (!isHere) {
    throw new Error(
      `version 0.2.0 (commit ${COMMIT.slice(0, 7)}) is not in the history of this clone, and cannot be fetched: git fetch --unshallow`,
    )
  }
  const versions = resolve(EARLIER, '..')
  mkdirSync(versions, { recursive: true })
  const folder = mkdtempSync(join(versions, 'unpacking-'))
  const archive = join(folder, 'archive.tar')
  run('git', 'archive', '-o', archive, COMMIT, 'src', 'examples', 'package.json')
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

/** Version 0.2.0, as far as campaigns use it. Its types are taken for those of today. */
export async function loadEarlier(): Promise<Version> {
  const [main, dynamodb, operator, dlq, tracing] = await Promise.all(
    [
      'index.ts',
      'store/dynamodb/index.ts',
      'ops/operator/index.ts',
      'ops/operator/dlq/index.ts',
      'tracing/openTelemetry/index.ts',
    ].map((file) => import(join(EARLIER, 'src', file)) as Promise<Version>),
  )
  return { ...main, ...dynamodb, ...operator, ...dlq, ...tracing, isPresent: false } as Version
}
