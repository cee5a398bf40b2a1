import { expect, it } from 'vitest'
import { NEXT } from '../../src/tools/init/index.ts'
import { walkOf } from './walk.ts'

it.each(['sam', 'cdk', 'osls', 'terraform'] as const)(
  'every command that the README of init %s names is typed, in its order, but the one that needs an account',
  (tool) => {
    const steps = walkOf(tool, '/out')
    expect(steps).toHaveLength(NEXT.length + 2)
    const whats = steps.map(({ what }) => what)
    for (const [nth, line] of NEXT.entries()) {
      const [command = ''] = line.split(' # ')
      expect(whats[nth + 1]).toContain(command.split(' ')[1])
    }
    const left = steps.filter(({ command }) => command === undefined)
    expect(left.map(({ why }) => why)).toContain('it needs an account')
    expect(whats.at(0)).toBe(`${tool}: lineclear init ${tool} --write`)
    expect(whats.at(-1)).toBe(`${tool}: npm test, once more`)
    expect(JSON.stringify(steps[0]?.env)).not.toContain('node_modules/.bin')
  },
)
