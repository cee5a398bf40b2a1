import { describe, expect, it } from 'vitest'
import { mistakeIn } from './commands.ts'
import { differenceFrom } from './excerpt.ts'

const SOURCE = `import { a } from 'a'

export function one() {
  const first = a()
  if (first) {
    return 1
  }
  return 2
}
`

describe('an excerpt', () => {
  it.each([
    ['the whole file', SOURCE],
    ['lines of it', 'export function one() {\n  const first = a()'],
    ['lines from inside, at the left margin', 'if (first) {\n  return 1\n}'],
    ['lines with a gap', "import { a } from 'a'\n// …\nexport function one() {\n  // …\n}"],
  ])('is %s', (_, block) => {
    expect(differenceFrom(SOURCE, block)).toBeUndefined()
  })

  it.each([
    ['a line that the file has not', 'export function two() {', 'export function two() {'],
    [
      'lines that do not follow each other',
      'export function one() {\n  return 2',
      'export function one() {\n  return 2',
    ],
    ['lines in another order', "return 2\n// …\nimport { a } from 'a'", "import { a } from 'a'"],
    ['another indentation', 'if (first) {\nreturn 1', 'if (first) {\nreturn 1'],
  ])('is not %s', (_, block, difference) => {
    expect(differenceFrom(SOURCE, block)).toBe(difference)
  })
})

describe('a command', () => {
  it.each([
    'npm ci && npm run demo   # a comment',
    'npm test test/deliver',
    'npm install lineclear @aws-sdk/client-sqs',
    'LINECLEAR_MODEL=deep npm test test/claim',
    'npx lineclear dlq peek QUEUE --group NAME',
    'aws logs tail /aws/lambda/NAME | lineclear explain ID --log -',
  ])('is taken: %s', (line) => {
    expect(mistakeIn(line)).toBeUndefined()
  })

  it.each([
    ['npm run demos', 'package.json has no script demos'],
    ['npm tests', 'npm has no command tests'],
    ['npm install lineclaer', 'package.json does not know the package lineclaer'],
    ['npm test test/nowhere', 'no file test/nowhere'],
    ['npx linecleer ls', 'no binary linecleer'],
    ['npx lineclear list', 'lineclear has no command list'],
    ['npm run lineclear -- list', 'lineclear has no command list'],
  ])('is refused: %s', (line, mistake) => {
    expect(mistakeIn(line)).toBe(mistake)
  })
})
