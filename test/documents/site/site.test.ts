import { expect, it } from 'vitest'
import { documents } from '../readme/documents.ts'
import { finder } from './browser/finder.ts'
import { CONTENTS } from './contents.ts'
import { render } from './markdown.ts'
import { groupsOfPages } from './pages.ts'
import { sectionsOf } from './sections.ts'

const groups = groupsOfPages()
const sections = groups.flatMap(({ pages }) => pages.flatMap(sectionsOf))
const find = finder(sections)

it('has each document once, the README first, and the reference', () => {
  const paths = CONTENTS.flatMap((group) => group.paths)
  const all = documents.map(({ path }) => path)
  expect(paths.toSorted(), 'List each document in contents.ts').toEqual(all.toSorted())
  const [first] = groups.flatMap(({ pages }) => pages)
  expect(first).toMatchObject({ file: 'index.html', title: 'Lineclear' })
  const reference = groups.find(({ title }) => title === 'Reference')
  expect(reference?.pages[0]).toMatchObject({ file: 'reference/index.html', title: 'Reference' })
})

it('a link leads to the page of a document, or of a file, and elsewhere as it is', () => {
  const links = ['../README.md#a', 'README.md', 'b.md', 'c/d.ts', '#e', 'https://f.example/g.md']
  const { html } = render(links.map((link) => `[x](${link})`).join('\n'))
  expect([...html.matchAll(/href="(.*?)"/g)].map(([, address]) => address)).toEqual([
    '../index.html#a',
    'index.html',
    'b.html',
    'c/d.ts.html',
    '#e',
    'https://f.example/g.md',
  ])
})

it('finds each name of the reference first', () => {
  const names = sections.filter(
    ({ address, under }) => address.startsWith('reference/') && under === undefined,
  )
  expect(names.length).toBeGreaterThan(200)
  const others = names.filter(({ name }) => find(name)[0]?.name !== name)
  expect(others.map(({ name }) => name)).toEqual([])
})

it('finds an option where it is declared, a part of a name, and a word with a wrong letter', () => {
  expect(find('alreadyDone')[0]).toMatchObject({
    address: 'reference/consumers-of-a-queue.html#recordhandleroptions.alreadydone',
    page: 'Consumers of a queue',
    under: 'RecordHandlerOptions',
  })
  expect(find('batch item failures').map(({ name }) => name)).toContain('reportBatchItemFailures')
  expect(find('redrve')[0]?.name).toContain('redrive')
  expect(find('recordHandler xyzzy')).toEqual([])
})

it('an excerpt shows what was looked for, and text after a list belongs to the heading', () => {
  const { html, places } = render(`# One\n- **two**: ${'a '.repeat(99)}needle\n\nhay`)
  const found = finder(sectionsOf({ file: 'one.html', title: 'One', html, places }))
  expect(found('needle')).toMatchObject([{ name: 'two', under: 'One' }])
  expect(found('needle')[0]?.excerpt).toMatch(/^… (?:a )+needle$/)
  expect(found('hay')).toMatchObject([{ name: 'One', excerpt: 'hay' }])
})
