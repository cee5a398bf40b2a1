import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { frames } from '../stream/stream.ts'
import { type Graph, type GraphNode, nodeKind, nodeTitle } from './graph.ts'
import { layOut } from './layout.ts'
import { MapNode } from './MapNode.tsx'
import { session } from '../api.ts'
import { type Answered, useAnswer } from '../useAnswer.ts'

export function Map({ graph }: { readonly graph: Graph }) {
  const [box, width] = useWidth()
  // Read so that the counts follow the stream.
  void frames.value
  const wide = widthOf(graph.nodes)
  const room = Math.max(wide, width - 2 * PADDING)
  const placed = useMemo(() => layOut(boxesOf(graph, wide), graph.edges, room), [graph, wide, room])
  const nodes = graph.nodes
    .map((node) => ({ node, at: placed.boxes.get(node.id) ?? { x: 0, y: 0 } }))
    .toSorted((one, other) => one.at.x - other.at.x || one.at.y - other.at.y)
  const size = { width: placed.width, height: placed.height }
  return (
    <div class="map" ref={box} role="group" aria-label="Map of queues and consumers" tabIndex={0}>
      <div class="map-plane" style={sizeOf(size)}>
        <svg {...size} viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
          {placed.arrows.map(({ line, head }, at) => (
            <g key={at} class="edge">
              <path class="line" d={line} />
              <path class="head" d={head} />
            </g>
          ))}
        </svg>
        <ul>
          {nodes.map(({ node, at }) => (
            <li
              key={node.id}
              style={{
                ...sizeOf({ width: wide, height: HEIGHT }),
                left: `${at.x}px`,
                top: `${at.y}px`,
              }}
            >
              <MapNode graph={graph} node={node} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}

/** The width of an element, as it changes, pixels. 0: it is not shown yet. */
function useWidth() {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const { current: element } = box
    if (element === null) return undefined
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [box, width] as const
}

/** Padding of the canvas; height, and least and largest width of a box. Pixels. */
const PADDING = 14
const HEIGHT = 50
const LEAST = 170
const MOST = 240

/** All boxes of a map are as wide as the longest name needs, up to a limit: names often differ at their end only. */
function widthOf(nodes: readonly GraphNode[]): number {
  const needed = nodes.map(
    (node) => 34 + nodeTitle(node).length * 7.4 + nodeKind(node).length * 6.6,
  )
  return Math.min(MOST, Math.round(Math.max(LEAST, ...needed)))
}

function sizeOf({ width, height }: { readonly width: number; readonly height: number }) {
  return { width: `${width}px`, height: `${height}px` }
}

/** Where a circle has no beginning, it is drawn from a queue. */
const FIRST = ['topic', 'queue', 'function', 'step', 'deadLetterQueue']

function boxesOf({ nodes }: Graph, width: number) {
  return nodes
    .toSorted((one, other) => FIRST.indexOf(one.kind) - FIRST.indexOf(other.kind))
    .map(({ id }) => ({ id, width, height: HEIGHT }))
}

interface Drawn extends Pick<Answered<Graph>, 'failure'> {
  /** undefined: it is not known yet. The same one until something in it changes: to place its boxes takes time. */
  readonly graph: Graph | undefined
}

export function useGraph(): Drawn {
  const { answer, failure } = useAnswer<Graph>('map', session.value?.live === true ? {} : undefined)
  const key = JSON.stringify([answer?.nodes, answer?.edges])
  return { graph: useMemo(() => answer, [key]), failure }
}
