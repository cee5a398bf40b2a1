import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writePage } from '../../../src/ops/console/bundle.ts'

let folder = ''
const files = new Map<string, string>()
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lineclear-page-'))
  await writePage(folder)
  for (const name of await readdir(folder)) {
    files.set(name, await readFile(join(folder, name), 'utf8'))
  }
})
afterAll(() => rm(folder, { recursive: true }))

describe('the page of the package', () => {
  it('is these files', () => {
    expect([...files.keys()].toSorted()).toEqual([
      'app.css',
      'app.js',
      'index.html',
      'licenses.txt',
    ])
  })

  it('has at most 60 KB, compressed', () => {
    const size = gzipSync((files.get('app.js') ?? '') + (files.get('app.css') ?? '')).byteLength
    expect(size).toBeLessThan(60 * 1_024)
  })

  it('loads nothing from another host, and runs nothing that the Content Security Policy refuses', () => {
    const html = files.get('index.html') ?? ''
    expect(html).not.toMatch(/(?:src|href)="(?!\/app\.|data:,)/)
    expect(html).not.toMatch(/<style|style=|\son\w+=|<script>/)
    expect(files.get('app.css')).not.toMatch(/@import|url\((?!['"]?data:)/)
    expect(files.get('app.js')).not.toMatch(/\beval\(|new Function\(/)
  })

  it('has the licenses of what is in it', () => {
    for (const name of ['preact', '@preact/signals', '@preact/signals-core']) {
      expect(files.get('licenses.txt')).toContain(`${name}\n\nThe MIT License (MIT)`)
    }
  })
})
