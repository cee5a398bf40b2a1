import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Assets } from '../../../src/tools/console/assets.ts'
import { bundle } from '../../../src/tools/console/bundle.ts'

let files: Assets = new Map()
beforeAll(async () => {
  files = await bundle()
})

describe('the page of the package', () => {
  it('is these files', () => {
    const named = [...files.keys()].filter((name) => !/^chunk-\w+\.js$/.test(name))
    expect(named.map((name) => name.replace(/-\w{8}\./, '.')).toSorted()).toEqual([
      'app.css',
      'app.js',
      'dev.js',
      'index.html',
      'licenses.txt',
      'operatorViews.js',
    ])
  })

  it('has at most 50 KB, compressed, before it is seen, and 94 KB in all: 17 of them are dagre', () => {
    const first = textOf(loadedBy('app.js')) + textOf(['app.css'])
    expect(gzipSync(first).byteLength).toBeLessThan(50 * 1_024)
    const all = textOf([...files.keys()].filter((name) => /\.(js|css)$/.test(name)))
    expect(gzipSync(all).byteLength).toBeLessThan(94 * 1_024)
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

/** A script, and what it imports before it runs. */
function loadedBy(name: string, before: ReadonlySet<string> = new Set()): readonly string[] {
  const loaded = new Set([...before, name])
  for (const [, each = ''] of (files.get(name) ?? '').matchAll(/(?:from|import)"\.\/([\w.-]+)"/g)) {
    for (const next of loaded.has(each) ? [] : loadedBy(each, loaded)) loaded.add(next)
  }
  return [...loaded]
}
