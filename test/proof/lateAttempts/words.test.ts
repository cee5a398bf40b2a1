import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PROVEN, RUN } from './proven.ts'
import { PEERS } from './table.ts'
import { lineOf, QUOTED } from './words.ts'

const README = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')
const section = /^## Late attempts\n(.*?)^## /ms.exec(README)?.[1] ?? ''

it('the README quotes the makers of those that do not run here, and nobody else', () => {
  expect(section.match(/^- .*/gm)).toEqual(QUOTED.map(lineOf))
})

it('its table has a row for each peer, and each says what it does better', () => {
  const rows = [...section.matchAll(/^\|(.*)\|$/gm)].slice(2)
  expect(rows).toHaveLength(PEERS.length)
  const others = PEERS.filter(({ name }) => !name.startsWith('Lineclear'))
  expect(others.filter(({ better }) => better === '')).toEqual([])
})

it('twelve systems of others are compared, each in one version', () => {
  const packages = new Set(PEERS.flatMap((peer) => peer.packages))
  expect([...packages].toSorted()).toEqual([...RUN].toSorted())
  expect(PROVEN.size).toBeGreaterThanOrEqual(12)
  expect([...PROVEN.values()].filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
})
