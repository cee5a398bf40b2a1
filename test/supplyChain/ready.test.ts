import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { missingIn, type Release } from './ready.ts'

const right: Release = {
  manifest: {
    version: '1.2.3',
    repository: { type: 'git', url: 'git+https://code.example.com/lineclear.git' },
    bugs: 'https://code.example.com/lineclear/issues',
    homepage: 'https://lineclear.example.com',
  },
  security: '# Security\n\n**Contact**: security@example.com,\nor the form.\n\nMore.\n',
  changelog: '# Changelog\n\n## 1.2.3 (2027-01-31)\n\n- more\n',
  texts: { 'README.md': 'Status: 1.2.3', init: 'npm install lineclear' },
  tag: 'v1.2.3',
}

describe('a release', () => {
  it('goes ahead when all is filled in, also before it has a tag', () => {
    expect(missingIn(right)).toEqual([])
    expect(missingIn({ ...right, tag: undefined })).toEqual([])
  })

  it.each(['repository', 'bugs', 'homepage'])('is refused without %s', (field) => {
    for (const value of [undefined, '', 'later', { url: '' }]) {
      const wrong = { ...right, manifest: { ...right.manifest, [field]: value } }
      expect(missingIn(wrong)).toEqual([`package.json: ${field} is not filled in`])
    }
  })

  it.each([
    [{ security: '# Security' }, 'SECURITY.md: **Contact** names no address'],
    [
      { security: '**Contact**: none yet.\n\nhttps://example.com' },
      'SECURITY.md: **Contact** names no address',
    ],
    [{ changelog: '## 1.2.3 (unreleased)' }, 'CHANGELOG.md: 1.2.3 has no date'],
    [{ changelog: '## 1.2.2 (2027-01-31)' }, 'CHANGELOG.md: 1.2.3 has no date'],
    [{ texts: { init: 'while it is unreleased' } }, 'init: says unreleased'],
    [{ tag: 'v1.2.4' }, 'the tag is v1.2.4, the version 1.2.3'],
  ])('is refused with %j', (wrong, line) => {
    expect(missingIn({ ...right, ...wrong })).toEqual([line])
  })
})

it('the command says what is missing here, and fails while there is something', () => {
  const missing = ['repository', 'bugs', 'homepage'].filter((field) => !(field in manifest))
  const command = resolve(import.meta.dirname, 'run.ts')
  const { status, stderr } = spawnSync(process.execPath, [command], { encoding: 'utf8' })
  const named = [...stderr.matchAll(/^package.json: (\w+) is not filled in$/gm)]
  expect(named.map(([, field]) => field)).toEqual(missing)
  expect(status === 0).toBe(stderr === '')
})
