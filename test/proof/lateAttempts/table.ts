import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dbos, insideStep } from './peers/dbos.ts'
import { durable } from './peers/durable.ts'
import { graphileWorker } from './peers/graphileWorker.ts'
import { lock, look } from './peers/byHand.ts'
import { insideOnce, lineclear } from './peers/lineclear.ts'
import type { Peer } from './peers/peer.ts'
import { pgBoss, transactional } from './peers/pgBoss.ts'
import { middy, powertools } from './peers/powertools.ts'
import { sqsConsumer } from './peers/sqsConsumer.ts'
import { EFFECTS, type Late } from './stage.ts'

export const PEERS: readonly Peer[] = [
  look,
  lock,
  powertools,
  middy,
  durable,
  sqsConsumer,
  pgBoss,
  transactional,
  graphileWorker,
  dbos,
  insideStep,
  lineclear,
  insideOnce,
]

const ROOT = join(import.meta.dirname, '../../..')

export function rowOf({ name, packages, key, better }: Peer, late: Late): string {
  const effects = EFFECTS.map((effect) => (late[effect] ? 'yes' : 'no'))
  const freed = key === 'none' ? 'has none' : late.freed ? 'yes' : 'no'
  return `|${[[name, ...versionsOf(packages)].join(' '), ...effects, freed, better].join('|')}|`
}

function versionsOf(packages: readonly string[]): readonly string[] {
  const versions = packages.map((name) => {
    const folder = join(ROOT, 'node_modules', name)
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly version: string
    }
    return version
  })
  return versions.length === 0 ? [] : [versions.join(', ')]
}
