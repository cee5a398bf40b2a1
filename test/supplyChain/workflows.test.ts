import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { mistakesIn, readWorkflow } from './workflow.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const FOLDER = resolve(ROOT, '.github/workflows')
const texts = new Map(
  readdirSync(FOLDER).map((name) => [name, readFileSync(resolve(FOLDER, name), 'utf8')]),
)

it.each([...texts])('%s is safe', (_name, text) => {
  expect(mistakesIn(text)).toEqual([])
})

it('there is a workflow for each of these', () => {
  const wanted = ['ci', 'nightly', 'release', 'scorecard', 'security']
  expect([...texts.keys()].toSorted()).toEqual(wanted.map((name) => `${name}.yml`))
})

it('an action has one version in all of them', () => {
  const used = [...texts.values()].flatMap((text) => text.match(/uses: .*/g) ?? [])
  const versions = new Map<string, Set<string>>()
  for (const each of used) {
    const [, action = '', version = ''] = /uses: ([\w-]+\/[\w-]+).*@(.*)/.exec(each) ?? []
    versions.set(action, (versions.get(action) ?? new Set()).add(version))
  }
  expect(versions.size).toBeGreaterThan(5)
  expect([...versions].filter(([, { size }]) => size !== 1)).toEqual([])
})

it('scripts that they run are in package.json', () => {
  const named = [...texts.values()].flatMap((text) => [...text.matchAll(/npm run ([\w:]+)/g)])
  expect(named.length).toBeGreaterThan(4)
  const missing = named.filter(([, script = '']) => !(script in manifest.scripts))
  expect(missing).toEqual([])
})

it('CI has each Node that is supported, on each platform', () => {
  const { jobs } = readWorkflow(texts.get('ci.yml') ?? '')
  const quick = jobs?.['quick'] as unknown as { strategy: { matrix: Record<string, unknown[]> } }
  const { os = [], node = [] } = quick.strategy.matrix
  expect(os.map(String).map((each) => each.split('-').at(0))).toEqual(
    expect.arrayContaining(['ubuntu', 'macos', 'windows']),
  )
  expect(os).toContain('ubuntu-24.04-arm')
  expect(`>=${String(node[0])}`).toBe(manifest.engines.node)
  const policy = readFileSync(resolve(ROOT, 'SECURITY.md'), 'utf8')
  const promised = [...policy.matchAll(/nodejs(\d+)\.x/g)].map(([, major]) => Number(major))
  expect(promised.length).toBeGreaterThan(0)
  expect(node).toEqual(expect.arrayContaining(promised))
})

describe('a workflow is refused', () => {
  const SHA = '1'.repeat(40)
  const good = (more: { top?: string; job?: string; step?: string } = {}): string =>
    [
      more.top ?? 'on: push\npermissions: {}',
      'jobs:',
      '  one:',
      more.job ?? '    permissions: { contents: read }\n    timeout-minutes: 5',
      '    steps:',
      more.step ?? `      - uses: actions/cache@${SHA} # v1.2.3`,
    ].join('\n')

  it('not for what is right', () => {
    expect(mistakesIn(good())).toEqual([])
  })

  it.each([
    [{ top: 'on: pull_request_target\npermissions: {}' }, 'runs on pull_request_target'],
    [{ top: 'on: [push, workflow_run]\npermissions: {}' }, 'runs on workflow_run'],
    [{ top: 'on: { pull_request_target: }\npermissions: {}' }, 'runs on pull_request_target'],
    [{ top: 'on: push' }, 'permissions at the top are not {}'],
    [{ top: 'on: push\npermissions: { contents: read }' }, 'permissions at the top are not {}'],
    [{ job: '    timeout-minutes: 5' }, 'one: names no permissions'],
    [{ job: '    permissions: write-all\n    timeout-minutes: 5' }, 'one: names no permissions'],
    [
      { job: '    permissions: { contents: write }\n    timeout-minutes: 5' },
      'one: may not have contents: write',
    ],
    [{ job: '    permissions: {}' }, 'one: has no timeout-minutes'],
    [{ step: '      - uses: actions/cache@v5' }, 'one: actions/cache@v5 is not pinned to a commit'],
    [
      { step: `      - uses: actions/cache@${SHA}` },
      `one: actions/cache@${SHA} has no comment with its version`,
    ],
    [
      { step: `      - uses: actions/checkout@${SHA} # v1.2.3` },
      'one: checkout keeps its credentials: persist-credentials',
    ],
    [
      { step: '      - run: echo "${{ github.event.pull_request.title }}"' },
      'one: an expression stands in a script: hand it over by env',
    ],
  ])('%j', (more, mistake) => {
    expect(mistakesIn(good(more))).toEqual([mistake])
  })
})
