import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { run } from './run.ts'

const REPOSITORY = resolve(import.meta.dirname, '../../..')
const DIST = ['bundler', 'docs', 'node', 'tools', 'types']

let directory: string
let clone: string

/** As others get it: what is committed, without `dist` and without packages. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lineclear-clone-'))
  clone = join(directory, 'clone')
  await run('git', ['clone', '--quiet', REPOSITORY, clone], directory)
})

afterAll(() => rm(directory, { recursive: true, force: true }))

it('npm pack builds what it packs', async () => {
  await expect(readdir(join(clone, 'dist'))).rejects.toThrow('ENOENT')
  await symlink(join(REPOSITORY, 'node_modules'), join(clone, 'node_modules'))
  await run('npm', ['pack', '--pack-destination', directory], clone)
  const [tarball = ''] = (await readdir(directory)).filter((name) => name.endsWith('.tgz'))
  await run('tar', ['-xzf', tarball], directory)
  expect(await readdir(join(directory, 'package/dist'))).toEqual(DIST)
})

/** npm clones it, installs what the build needs, and builds: a minute, and it fetches packages. */
it('npm installs it from git', async () => {
  const user = join(directory, 'user')
  await mkdir(user)
  await writeFile(join(user, 'package.json'), '{}')
  await run('npm', ['install', '--no-audit', '--no-fund', `git+file://${clone}`], user)
  expect(await readdir(join(user, 'node_modules/lineclear/dist'))).toEqual(DIST)
  const loads = `console.log(typeof require('lineclear').recordHandler)`
  await expect(run('node', ['-e', loads], user)).resolves.toBe('function\n')
})
