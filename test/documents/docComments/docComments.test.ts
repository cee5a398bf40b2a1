import { describe, expect, it } from 'vitest'
import { publicDocs } from './publicDocs.ts'

const docs = publicDocs()

describe('what an editor shows of a public name', () => {
  it('says what the name is for', () => {
    const silent = docs.filter(({ comment }) => comment === undefined)
    expect(silent.map(nameOf)).toEqual([])
  })

  it('shows an example of what is called', () => {
    const silent = docs.filter(({ isCalled, examples }) => isCalled && examples.length === 0)
    expect(silent.map(nameOf)).toEqual([])
  })
})

function nameOf({ entry, name }: { readonly entry: string; readonly name: string }): string {
  return `${entry}: ${name}`
}
