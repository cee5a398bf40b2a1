import type { MapNode } from '../../testing/local/observe/mapOf.ts'
import type { Again } from './again.ts'
import { type Reply, replyOf } from './reply.ts'

/** A consumer or flow, as the status index shows it. */
type OpenNode = MapNode & {
  /** Number of open requests. */
  readonly open: number
}

/**
 * The map of a console that has neither live events nor a template: the consumers and flows that have open requests. The status index
 * names no queues and no sends, and no consumer whose requests have all completed.
 */
export async function accountMap(again: Again, signal: AbortSignal): Promise<Reply> {
  const reply = replyOf(await again(['stats'], signal))
  const { counts = [], ...rest } = reply.body
  const nodes = openNodes(counts as readonly OpenCount[])
  return { ...reply, body: { ...rest, source: 'table', nodes, edges: [] } }
}

interface OpenCount {
  readonly of: string
  readonly number: number
}

function openNodes(counts: readonly OpenCount[]): readonly OpenNode[] {
  // Delayed messages are counted together, whatever consumer has sent them.
  const ofConsumers = counts.filter(({ of }) => of !== 'delayed messages')
  return [...Map.groupBy(ofConsumers, ({ of }) => of)].map(([name, all]) => ({
    id: `function:${name}`,
    kind: 'function',
    name,
    consumers: [name],
    open: all.reduce((sum, { number }) => sum + number, 0),
  }))
}
