import { expect, test } from 'vitest'
import { toDevError } from '../../../../src/tools/console/dev/loadError.ts'

const looking = { cwd: '/app', last: '', read: () => undefined }

test('a syntax error in TypeScript says where it is before its text', () => {
  const stack =
    '/app/src/handler.ts:4\nfour\n^\n\nSyntaxError: Expression expected\n    at x (node:a:1:2)'
  expect(toDevError({ message: 'SyntaxError: Expression expected', stack }, looking)).toEqual({
    kind: 'load',
    message: 'SyntaxError: Expression expected',
    file: 'src/handler.ts',
    line: 4,
  })
})

test('what a module throws is where its own code stands, not that of packages or of Lineclear', () => {
  const own = new URL('../../../../src/library/base/errors.ts', import.meta.url).href
  const stack = `Error: no\n    at check (${own}:1:1)\n    at use (file:///app/node_modules/zod/a.js:9:1)\n    at file:///app/handler.ts:2:7`
  expect(toDevError({ message: 'no', stack }, looking)).toMatchObject({
    file: 'handler.ts',
    line: 2,
  })
})

test('a module that is missing is shown where it is imported', () => {
  const message = "Error: Cannot find module '/app/fve' imported from /app/handler.ts"
  const read = (): string => "import a from 'a'\nimport b from './fve'"
  expect(toDevError({ message, stack: message }, { ...looking, read })).toMatchObject({
    file: 'handler.ts',
    line: 2,
  })
})

test('without a place there is only the message', () => {
  expect(toDevError({ message: 'no', stack: 'Error: no\n    at node:a:1:2' }, looking)).toEqual({
    kind: 'load',
    message: 'no',
  })
})

test('a project of npm init is told how its files become modules', () => {
  const message = 'SyntaxError: Cannot use import statement outside a module'
  const found = toDevError({ message, stack: message }, looking)
  expect(found.message).toBe(`${message}. Write "type": "module" in package.json`)
})
