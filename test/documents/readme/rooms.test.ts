import { expect, it } from 'vitest'
import { ROOMS } from '../../structure/rooms.ts'
import { codeSpansOf, documents } from './documents.ts'

const map = documents.find(({ path }) => path === 'src/README.md')
const spans = map === undefined ? [] : codeSpansOf(map)

it('src/README.md lists the rooms in the order of the structure', () => {
  const paths = ROOMS.flat().flatMap(({ path }) => (/^\.|\.ts$/.test(path) ? [] : [`${path}/`]))
  const listed = [...new Set(spans.filter((span) => paths.includes(span)))]
  expect(listed).toEqual(paths.filter((path) => listed.includes(path)))
  const missing = paths.filter((path) => !listed.includes(path))
  const untold = missing.filter((path) => !/^(?:tools|testing|sweeper)\/./.test(path))
  expect(untold, 'Rooms that src/README.md does not name').toEqual([])
})
