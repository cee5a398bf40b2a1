import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../../..')
const RUNS = globSync('examples/*/run.ts', { cwd: ROOT })

it.each(RUNS)(
  '%s: a record that no attempt can complete leaves its queue, so that its run ends',
  (file) => {
    const text = readFileSync(resolve(ROOT, file), 'utf8')
    const described = /deadLetter: \{ queue: /.test(text)
    expect(described || !text.includes('mapQueue(')).toBe(true)
  },
)
