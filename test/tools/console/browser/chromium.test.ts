import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { env, execPath } from 'node:process'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { findChromium, withoutChromium } from './chromium.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lineclear-chromium-'))
  vi.stubEnv('LINECLEAR_CHROMIUM', undefined)
})
afterEach(() => rmSync(folder, { recursive: true }))

function install(name: string): string {
  const path = join(folder, name)
  writeFileSync(path, '')
  chmodSync(path, 0o755)
  return path
}

it('is the one that is named, else the first of the usual names', () => {
  vi.stubEnv('PATH', `/nowhere:${folder}`)
  const chrome = install('google-chrome')
  expect(findChromium()).toBe(chrome)
  const chromium = install('chromium')
  expect(findChromium()).toBe(chromium)
  const own = install('own')
  vi.stubEnv('LINECLEAR_CHROMIUM', own)
  expect(findChromium()).toBe(own)
  expect(withoutChromium()).toBeUndefined()
})

it('is none when that which is named is not there, and a run says what does not run', () => {
  vi.stubEnv('PATH', folder)
  install('chromium')
  vi.stubEnv('LINECLEAR_CHROMIUM', join(folder, 'other'))
  expect(findChromium()).toBeUndefined()
  expect(withoutChromium()).toMatch(/^No Chromium was found: .*npm run browser.*apt-get install/)
})

it('without one a run of its tests fails, and one line says how to get one', () => {
  const root = resolve(import.meta.dirname, '../../../..')
  const config = join(import.meta.dirname, 'vitest.config.ts')
  const { status, stdout, stderr } = spawnSync(
    execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', config],
    { cwd: root, encoding: 'utf8', env: { ...env, LINECLEAR_CHROMIUM: join(folder, 'none') } },
  )
  expect(status).toBe(1)
  expect(stderr).toBe('')
  const lines = stripVTControlCharacters(stdout).trim().split('\n').slice(1)
  expect(lines.filter((line) => line !== '')).toEqual([
    expect.stringMatching(/^No Chromium was found: .*apt-get install chromium/),
    '0 passed, 1 failed',
  ])
})
