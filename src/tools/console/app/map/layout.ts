import * as dagre from '@dagrejs/dagre'

export interface Box {
  readonly id: string
  readonly width: number
  readonly height: number
}

export interface Link {
  readonly from: string
  readonly to: string
}

interface Point {
  readonly x: number
  readonly y: number
}

/** What is used of dagre: its own declarations name their files as NodeNext cannot resolve them. */
interface Graph {
  setGraph(label: object): void
  setDefaultEdgeLabel(label: () => object): void
  setNode(id: string, size: Omit<Box, 'id'>): void
  setEdge(from: string, to: string): void
  /** The middle of a box. */
  node(id: string): Point
  edge(from: string, to: string): { readonly points: readonly Point[] }
  graph(): Partial<Omit<Box, 'id'>>
}

const { Graph: NewGraph, layout } = dagre as unknown as {
  readonly Graph: new () => Graph
  readonly layout: (graph: Graph) => void
}

interface Arrow {
  readonly line: string
  readonly head: string
}

export interface Placed {
  readonly width: number
  readonly height: number
  /** The upper left corner of each box. */
  readonly boxes: ReadonlyMap<string, Point>
  /** One arrow for each link whose two boxes are drawn. */
  readonly arrows: readonly Arrow[]
}

/** Between the boxes of a rank, and between ranks. Pixels. */
const GAP = 18
const RANK_GAP = 52
/** Farther apart, boxes are not seen to belong together. */
const WIDEST_GAP = 150
/** Below it there is no room for two boxes beside each other. */
const NARROW = 520

/**
 * Places boxes so that links lead to the right, on a narrow canvas downwards, with few crossings.
 * @param room width of the canvas, pixels: what is left of it widens the gaps between ranks
 */
export function layOut(boxes: readonly Box[], links: readonly Link[], room: number): Placed {
  const known = new Map(boxes.map((box) => [box.id, box]))
  const isDown = room < NARROW
  const sound = links.filter(({ from, to }) => from !== to && known.has(from) && known.has(to))
  const tight = dagreOf(boxes, sound, isDown, RANK_GAP)
  const gaps = new Set(boxes.map(({ id }) => tight.node(id).x)).size - 1
  const left = isDown || gaps < 1 ? 0 : (room - (tight.graph().width ?? 0)) / gaps
  const gap = Math.min(WIDEST_GAP, RANK_GAP + Math.max(0, Math.floor(left)))
  const graph = dagreOf(boxes, sound, isDown, gap)
  // The size of an empty graph is -Infinity.
  const width = Math.max(0, graph.graph().width ?? 0)
  const height = Math.max(0, graph.graph().height ?? 0)
  const centerOf = (id: string): Point => graph.node(id)
  const sideOf = (id: string, side: 1 | -1): Point => {
    const { x, y } = centerOf(id)
    const box = known.get(id) ?? { width: 0, height: 0 }
    return isDown ? { x, y: y + (side * box.height) / 2 } : { x: x + (side * box.width) / 2, y }
  }
  const pointsOf = ({ from, to }: Link): readonly Point[] => {
    const points = graph.edge(from, to).points
    const axis = isDown ? 'y' : 'x'
    // What leads back keeps the sides that dagre gives it.
    if (centerOf(from)[axis] >= centerOf(to)[axis]) return points
    return [sideOf(from, 1), ...points.slice(1, -1), sideOf(to, -1)]
  }
  const corners = boxes.map((box) => {
    const { x, y } = centerOf(box.id)
    return [box.id, { x: x - box.width / 2, y: y - box.height / 2 }] as const
  })
  return {
    width,
    height,
    boxes: new Map(corners),
    arrows: sound.map((link) => arrowOf(pointsOf(link), isDown)),
  }
}

function dagreOf(
  boxes: readonly Box[],
  links: readonly Link[],
  isDown: boolean,
  ranksep: number,
): Graph {
  const graph = new NewGraph()
  const rankdir = isDown ? 'TB' : 'LR'
  graph.setGraph({ rankdir, nodesep: GAP, edgesep: GAP / 2, ranksep })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height })
  for (const { from, to } of links) graph.setEdge(from, to)
  layout(graph)
  return graph
}

/** A line that leaves and enters boxes at right angles. */
function arrowOf(points: readonly Point[], isDown: boolean): Arrow {
  const [start = { x: 0, y: 0 }, ...rest] = points
  const curves = rest.map((to, place) => {
    const from = points[place] ?? start
    const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 }
    const bend = isDown
      ? `${from.x} ${middle.y} ${to.x} ${middle.y}`
      : `${middle.x} ${from.y} ${middle.x} ${to.y}`
    return `C${bend} ${to.x} ${to.y}`
  })
  const [before = start, end = before] = points.slice(-2)
  const forward = isDown ? end.y >= before.y : end.x >= before.x
  const back = forward ? -7 : 7
  const head = isDown ? `l-3.5 ${back}h7z` : `l${back} -3.5v7z`
  return { line: `M${start.x} ${start.y}${curves.join('')}`, head: `M${end.x} ${end.y}${head}` }
}
