import { useQueues, useOpen } from '../counts.ts'
import { href } from '../route.ts'
import { activity } from '../stream/stream.ts'
import { type Graph, type GraphNode, nodeKind, listPageOf, openOf, nodeTitle } from './graph.ts'

interface MapNodeProps {
  readonly graph: Graph
  readonly node: GraphNode
}

/** A box: what has failed there stands out, what is 0 is not said. */
export function MapNode({ graph, node }: MapNodeProps) {
  const notes = useNotes(node)
  const list = listPageOf(graph, node)
  const isBad = notes.some(({ tone }) => tone === 'bad')
  const look = ['node', node.kind, isBad && 'bad'].filter(Boolean).join(' ')
  const inside = (
    <>
      <span class="node-head">
        <span class="node-name cut" title={node.name}>
          {nodeTitle(node)}
        </span>
        <span class="node-kind">{nodeKind(node)}</span>
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
  readonly glyph?: string | undefined
}

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
      return notesOf('none', [[dead, 'dead', 'bad', '✖']])
    }
    case 'queue': {
      const depth = activity.depths.get(node.name)
      if (depth === undefined) return []
      return notesOf('empty', [
        [depth.ready, 'ready', 'wait'],
        [depth.inFlight, 'in flight', 'wait'],
        [depth.delayed, 'delayed', 'wait'],
      ])
    }
    case 'function': {
      const { open, failed } = openOf(node, counts)
      return notesOf('at rest', [
        [failed, 'failed', 'bad', '✖'],
        [open - failed, 'open', 'wait'],
        [activity.running(node.name), 'running', 'wait', '●'],
      ])
    }
  }
}

type Counted = readonly [count: number, of: string, tone: NodeNote['tone'], glyph?: string]

/** @returns nothing that is 0, or that nothing happens */
function notesOf(nothing: string, counts: readonly Counted[]): readonly NodeNote[] {
  const some = counts.filter(([count]) => count > 0)
  if (some.length === 0) return [{ text: nothing, tone: 'quiet' }]
  return some.map(([count, of, tone, glyph]) => ({ text: `${count} ${of}`, tone, glyph }))
}
