import { clock } from '../parts/Time.tsx'
import { Text } from '../parts/Text.tsx'
import { href } from '../route.ts'
import { activity } from '../stream/stream.ts'
import { type Graph, type GraphNode, kindOf, listOf, titleOf } from './graph.ts'
import { countsOf, inQueue } from './counts.ts'
import { plainText } from '../parts/safeText.ts'

interface MapNodeProps {
  readonly graph: Graph
  readonly node: GraphNode
  /** A request has not come to it. */
  readonly isFar: boolean
}

export function MapNode({ graph, node, isFar }: MapNodeProps) {
  const list = listOf(graph, node)
  const isBad = node.kind === 'deadLetterQueue' && inQueue(activity.depths.get(node.name)) > 0
  const look = ['node', node.kind, isFar && 'far', isBad && 'bad'].filter(Boolean).join(' ')
  const inside = (
    <>
      <span class="node-head">
        <span class="node-name" title={plainText(node.name)}>
          <Text of={titleOf(node)} />
        </span>
        <span class={node.kind === 'deadLetterQueue' ? 'unseen' : 'node-kind'}>{kindOf(node)}</span>
      </span>
      <Inside of={node} isLive={graph.source === undefined} />
      {isFar && <span class="unseen">, not reached</span>}
    </>
  )
  if (list === undefined) return <span class={look}>{inside}</span>
  return (
    <a class={look} href={href(list.path, list.query)}>
      {inside}
    </a>
  )
}

interface InsideProps {
  readonly of: GraphNode
  /** Otherwise its counts are not known. */
  readonly isLive: boolean
}

function Inside({ of: node, isLive }: InsideProps) {
  if (node.open !== undefined) return <span class="node-line">{node.open} open</span>
  if (!isLive) return null
  if (node.kind === 'topic') return null
  if (node.kind === 'queue') return <Depths of={node.name} />
  if (node.kind === 'deadLetterQueue') {
    const dead = inQueue(activity.depths.get(node.name))
    return (
      <span class={dead > 0 ? 'node-line tone-bad' : 'node-line faint'}>
        <span class="glyph" aria-hidden="true">
          {dead > 0 ? '✖' : '·'}
        </span>
        {dead} dead
      </span>
    )
  }
  if (node.kind === 'step') return <span class="node-line faint">… waits for an answer</span>
  return <Work of={node.name} />
}

function Depths({ of }: { readonly of: string }) {
  return (
    <span class="depths">
      {countsOf(activity.depths.get(of)).map(({ name, count }) => (
        <span key={name} class={count === 0 ? 'none' : ''}>
          <b>{count}</b> <span>{name}</span>
        </span>
      ))}
    </span>
  )
}

/** More marks are not counted at a glance. */
const MOST_MARKS = 6

function Work({ of }: { readonly of: string }) {
  const running = activity.running.get(of) ?? 0
  const rate = activity.rates.perSecond(of, clock.value)
  return (
    <span class="node-line">
      <span>{rate === 0 ? 'at rest' : `${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`}</span>
      {running > 0 && (
        <span class="tone-wait">
          <span aria-hidden="true">{'●'.repeat(Math.min(running, MOST_MARKS))} </span>
          {running} running
        </span>
      )}
    </span>
  )
}
