import { type GraphNode, kindOf, titleOf } from './graph.ts'

/** Pixels. */
const LEAST = 160
const MOST = 240
/** Of a letter of the name, which is bold, and of one of the kind beside it. */
const NAME = 7.4
const KIND = 6.6
/** Left, right and between the two. */
const ROOM = 34

/** All boxes of a map are as wide as the longest name needs, up to a limit: names often differ at their end only. */
export function nodeWidth(nodes: readonly GraphNode[]): number {
  const needed = nodes.map((node) => {
    const kind = node.kind === 'deadLetterQueue' ? '' : kindOf(node)
    return ROOM + titleOf(node).length * NAME + kind.length * KIND
  })
  return Math.min(MOST, Math.round(Math.max(LEAST, ...needed)))
}
