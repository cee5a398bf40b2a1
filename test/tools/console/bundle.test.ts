import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Assets } from '../../../src/tools/console/send.ts'
import { bundle } from '../../../src/tools/console/bundle.ts'

let files: Assets = new Map()
beforeAll(async () => {
  files = await bundle()
})

describe('the page of the package', () => {
  it('is these files', () => {
    expect([...files.keys()].toSorted()).toEqual([
      'app.css',
      'app.js',
      'index.html',
      'licenses.txt',
    ])
  })

  it('has at most 75 KB, compressed: 17 of them are dagre', () => {
    expect(gzipSync(textOf(['app.js', 'app.css'])).byteLength).toBeLessThan(75 * 1_024)
  })

  it('loads nothing from another host, and runs nothing that the Content Security Policy refuses', () => {
    const html = files.get('index.html') ?? ''
    expect(html).not.toMatch(/(?:src|href)="(?!\/app\.|data:,)/)
    expect(html).not.toMatch(/<style|style=|\son\w+=|<script>/)
    expect(files.get('app.css')).not.toMatch(/@import|url\((?!['"]?data:)/)
    const scripts = [...files.keys()].filter((name) => name.endsWith('.js'))
    expect(textOf(scripts)).not.toMatch(/\beval\(|new Function\(/)
  })

  it('has the licenses of what is in it', () => {
    for (const name of ['preact', '@preact/signals', '@preact/signals-core']) {
      expect(files.get('licenses.txt')).toContain(`${name}\n\nThe MIT License (MIT)`)
    }
    for (const name of ['@dagrejs/dagre', '@dagrejs/graphlib']) {
      expect(files.get('licenses.txt')).toContain(`${name}\n\nCopyright`)
    }
  })
})

function textOf(names: readonly string[]): string {
  return names.map((name) => files.get(name) ?? '').join('')
}
