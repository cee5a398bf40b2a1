import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, it, vi } from 'vitest'
import { lateOf, openStage } from './stage.ts'
import { PEERS, rowOf } from './table.ts'

const README = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')
const nameOf = (at: number): string => `peer-${at}`

let cloud: LocalCloud
beforeAll(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  const queues = PEERS.map((_, at) => [nameOf(at), { visibilityTimeout: 2 }] as const)
  cloud = await startLocalCloud({
    queues: { ...Object.fromEntries(queues), sent: {} },
    tables: {
      lineclear: tableDefinition(),
      powertools: { hash: 'id' },
      locks: { hash: 'id' },
      written: { hash: 'id' },
    },
  })
})
afterAll(() => cloud.stop())

/** The rows of the table in the README: when one of these differs, copy it there. */
describe.concurrent('an attempt that was overtaken', () => {
  it.for(PEERS.map((peer, at) => ({ peer, at })))(
    '$peer.name',
    async ({ peer, at }, { expect }) => {
      const stage = openStage(cloud, nameOf(at))
      await peer.play(stage)
      expect(README).toContain(rowOf(peer, await lateOf(stage, await peer.written?.(stage))))
    },
  )
})
