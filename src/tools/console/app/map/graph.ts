import type { SystemMap } from '../../../../testing/local/observe/mapOf.ts'
import type { TaskCounts } from '../answers.ts'
import type { Address } from '../address.ts'
import type { Link } from './layout.ts'

/** What the system consists of, and where messages go: `GET /api/map`. */
export interface Graph extends Pick<SystemMap, 'nodes'> {
  readonly edges: readonly Link[]
}

export type GraphNode = Graph['nodes'][number]

/** How many items are open, and how many of them wait for an operator, of the consumers of a node. */
export function openOf(
  { name, flow, consumers }: GraphNode,
  counts: TaskCounts,
): { readonly open: number; readonly failed: number } {
  const owners = new Set(flow === undefined ? (consumers ?? [name]) : [flow])
  const own = counts.filter(({ of }) => owners.has(of))
  const sum = (each: TaskCounts): number => each.reduce((all, { number }) => all + number, 0)
  return { open: sum(own), failed: sum(own.filter(({ status }) => PARKED_STATUSES.has(status))) }
}

/** Statuses of what waits for an operator: it is due at no time. */
export const PARKED_STATUSES: ReadonlySet<string> = new Set(['unknown', 'error', 'dead'])

export function nodeTitle({ kind, name, flow, stage }: GraphNode): string {
  return kind === 'function' && stage !== undefined ? `${flow} · ${stage}` : name
}

export function nodeKind({ kind, stage }: GraphNode): string {
  if (kind === 'function') return stage === undefined ? 'consumer' : 'stage'
  return kind === 'deadLetterQueue' ? 'dead letters' : kind
}

/** The page that lists the requests or dead letters of a node; undefined: there is none. */
export function listPageOf(graph: Graph, node: GraphNode): Address | undefined {
  const { kind, name, flow, stage, consumers = [] } = node
  if (kind === 'deadLetterQueue') return { path: '/letters', query: { queue: name } }
  if (kind === 'step') return { path: '/tasks', query: { consumer: flow, status: 'awaiting' } }
  if (kind === 'function' && stage !== undefined) {
    return { path: '/tasks', query: { consumer: flow, stage } }
  }
  if (kind === 'function') return { path: '/tasks', query: { consumer: consumers[0] ?? name } }
  if (kind === 'topic') return undefined
  const taken = graph.edges.filter(({ from }) => from === node.id).map(({ to }) => to)
  const taker = graph.nodes.find((each) => each.kind === 'function' && taken.includes(each.id))
  return taker === undefined ? undefined : listPageOf(graph, taker)
}
