import type { Counts } from '../answers.ts'
import type { Query } from '../address.ts'
import type { FoundQueue } from '../../../operator/dlq/index.ts'
import type { Place } from '../stream/sendOf.ts'
import type { Link } from './layout.ts'

/** What the system consists of, and where messages go: `GET /api/map`, as `mapOf` makes it. */
export interface Graph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly Link[]
}

export interface GraphNode {
  readonly id: string
  /** `function`: it reads a queue. `step`: a flow waits there for an outside system. */
  readonly kind: 'topic' | 'queue' | 'deadLetterQueue' | 'function' | 'step'
  readonly name: string
  /** Of a stage or a step. */
  readonly flow?: string | undefined
  readonly stage?: string | undefined
  /** The consumers that a function runs, by the names that the table has. */
  readonly consumers?: readonly string[] | undefined
}

/**
 * The map of a console without live events: the consumers and flows that have open items, and the queues with a dead-letter queue.
 * Which queue a consumer reads is not stored: one that has the name of a queue is drawn behind it.
 */
export function graphOf(counts: Counts, queues: readonly FoundQueue[]): Graph {
  const dead = new Set(queues.map(({ name }) => name))
  const sources = [...new Set(queues.flatMap((queue) => queue.sources))]
  const idOf = (name: string): string => `${dead.has(name) ? 'deadLetterQueue' : 'queue'}:${name}`
  // Delayed messages are counted together, whatever consumer has sent them.
  const owners = [...new Set(counts.map(({ of }) => of))].filter((of) => of !== DELAYED)
  return {
    nodes: [
      ...sources
        .filter((name) => !dead.has(name))
        .map((name): GraphNode => ({ id: idOf(name), kind: 'queue', name })),
      ...owners.map((name): GraphNode => ({
        id: `function:${name}`,
        kind: 'function',
        name,
        consumers: [name],
      })),
      ...[...dead].map((name): GraphNode => ({ id: idOf(name), kind: 'deadLetterQueue', name })),
    ],
    edges: [
      ...owners
        .filter((name) => sources.includes(name))
        .map((name): Link => ({ from: idOf(name), to: `function:${name}` })),
      ...queues.flatMap(({ name, sources: own }) =>
        own.map((source): Link => ({ from: idOf(source), to: idOf(name) })),
      ),
    ],
  }
}

const DELAYED = 'delayed messages'

/** How many items are open, and how many of them wait for an operator, of the consumers of a node. */
export function openOf(
  { name, flow, consumers }: GraphNode,
  counts: Counts,
): { readonly open: number; readonly failed: number } {
  const owners = new Set(flow === undefined ? (consumers ?? [name]) : [flow])
  const own = counts.filter(({ of }) => owners.has(of))
  const sum = (each: Counts): number => each.reduce((all, { number }) => all + number, 0)
  return { open: sum(own), failed: sum(own.filter(({ status }) => PARKED.has(status))) }
}

const PARKED: ReadonlySet<string> = new Set(['unknown', 'error', 'dead'])

/** How a node is called on the page. */
export function titleOf({ kind, name, flow, stage }: GraphNode): string {
  return kind === 'function' && stage !== undefined ? `${flow} · ${stage}` : name
}

export function kindOf({ kind, stage }: GraphNode): string {
  if (kind === 'function') return stage === undefined ? 'consumer' : 'stage'
  return kind === 'deadLetterQueue' ? 'dead letters' : kind
}

/** With the sends that were seen, if the description does not have them. `sends`: the name of a function, and where to. */
export function withSends(
  graph: Graph,
  sends: Iterable<{ readonly function: string; readonly to: Place }>,
): Graph {
  const learnt = [...sends].flatMap((send): readonly Link[] => {
    const from = nodeAt(graph, { kind: 'function', name: send.function })
    const to = nodeAt(graph, send.to)
    // The edge from the queue says the same.
    if (from === undefined || to === undefined || to.kind === 'deadLetterQueue') return []
    return hasEdge(graph, from.id, to.id) ? [] : [{ from: from.id, to: to.id }]
  })
  return learnt.length === 0 ? graph : { ...graph, edges: [...graph.edges, ...learnt] }
}

function nodeAt({ nodes }: Graph, { kind, name }: Place): GraphNode | undefined {
  return nodes.find((node) => {
    if (node.name !== name || node.kind === 'step') return false
    if (kind === 'function' || node.kind === 'function') return node.kind === kind
    return (kind === 'topic') === (node.kind === 'topic')
  })
}

function hasEdge({ edges }: Graph, from: string, to: string): boolean {
  return edges.some((edge) => edge.from === from && edge.to === to)
}

/** The page that lists what a node stands for; undefined: there is none. */
export function listOf(
  graph: Graph,
  node: GraphNode,
): { readonly path: string; readonly query: Query } | undefined {
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
  return taker === undefined ? undefined : listOf(graph, taker)
}
