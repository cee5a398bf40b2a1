import type { Counts } from '../answers.ts'
import { useQueues, useOpen } from '../counts.ts'
import { href } from '../route.ts'
import { activity } from '../stream/stream.ts'
import { type Graph, type GraphNode, kindOf, listOf, openOf, titleOf } from './graph.ts'

interface MapNodeProps {
  readonly graph: Graph
  readonly node: GraphNode
}

/** A box: what has failed there stands out, what is 0 is not said. */
export function MapNode({ graph, node }: MapNodeProps) {
  const notes = useNotes(node)
  const list = listOf(graph, node)
  const isBad = notes.some(({ tone }) => tone === 'bad')
  const look = ['node', node.kind, isBad && 'bad'].filter(Boolean).join(' ')
  const inside = (
    <>
      <span class="node-head">
        <span class="node-name" title={node.name}>
          {titleOf(node)}
        </span>
        <span class="node-kind">{kindOf(node)}</span>
      </span>
      <span class="node-line">
        {notes.map(({ text, tone, glyph }) => (
          <span key={text} class={`tone-${tone}`}>
            {glyph !== undefined && <span aria-hidden="true">{glyph} </span>}
            {text}
          </span>
        ))}
      </span>
    </>
  )
  if (list === undefined) return <span class={look}>{inside}</span>
  return (
    <a class={look} href={href(list.path, list.query)}>
      {inside}
    </a>
  )
}

interface NodeNote {
  readonly text: string
  readonly tone: 'bad' | 'wait' | 'quiet'
  readonly glyph?: string
}

/** @returns nothing that is 0, or that nothing happens */
function useNotes(node: GraphNode): readonly NodeNote[] {
  const counts = useOpen().answer?.counts ?? []
  const queues = useQueues().answer?.queues ?? []
  switch (node.kind) {
    case 'topic':
      return []
    case 'step':
      return [{ text: 'waits for an answer', tone: 'quiet', glyph: '…' }]
    case 'deadLetterQueue': {
      const found = queues.find(({ name }) => name === node.name)
      const { ready = 0, inFlight = 0, delayed = 0 } = activity.depths.get(node.name) ?? {}
      const counted = found === undefined ? 0 : found.visible + found.inFlight + found.delayed
      const dead = Math.max(ready + inFlight + delayed, counted)
      return dead === 0
        ? [{ text: 'none', tone: 'quiet' }]
        : [{ text: `${dead} dead`, tone: 'bad', glyph: '✖' }]
    }
    case 'queue':
      return depthNotes(node.name)
    case 'function':
      return workNotes(node, counts)
  }
}

function depthNotes(queue: string): readonly NodeNote[] {
  const depth = activity.depths.get(queue)
  if (depth === undefined) return []
  const notes = [
    [depth.ready, 'ready'],
    [depth.inFlight, 'in flight'],
    [depth.delayed, 'delayed'],
  ] as const
  const some = notes.filter(([count]) => count > 0)
  return some.length === 0
    ? [{ text: 'empty', tone: 'quiet' }]
    : some.map(([count, word]) => ({ text: `${count} ${word}`, tone: 'wait' }))
}

function workNotes(node: GraphNode, counts: Counts): readonly NodeNote[] {
  const { open, failed } = openOf(node, counts)
  const running = activity.running(node.name)
  const notes: NodeNote[] = []
  if (failed > 0) notes.push({ text: `${failed} failed`, tone: 'bad', glyph: '✖' })
  if (open > failed) notes.push({ text: `${open - failed} open`, tone: 'wait' })
  if (running > 0) notes.push({ text: `${running} running`, tone: 'wait', glyph: '●' })
  return notes.length > 0 ? notes : [{ text: 'at rest', tone: 'quiet' }]
}
