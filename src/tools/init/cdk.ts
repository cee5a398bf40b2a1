import type { Addition, Tool } from './project.ts'
import { edited, type Names, renamed } from './text.ts'

export const cdk: Tool = {
  title: 'the AWS CDK',
  mark: 'app.ts',
  needs: [/^const stack = /m, /^const table = new LineclearTable\(/m],
  knownBy: ['app.ts', 'cdk.json'],
  bare: (examples) =>
    edited(
      examples['examples/cdk/app.ts'],
      [/^new LineclearConsumer.*\n/gm, ''],
      ['LineclearConsumer, ', ''],
    ),
  paste:
    'into your app: what stands in lineclear/app.ts, with your own stack in place of its stack',
  pasteMore: (inserts) =>
    `into your app, beside what is pasted already: ${inserts.map(({ text }) => text.trim()).join('; ')}`,
  packages: ['aws-cdk-lib', 'constructs'],
  untested: { 'aws-cdk': '2.1148.1' },
  build: 'cdk synth --quiet',
  doctor: 'lineclear doctor --template cdk.out',
  deploy: 'cdk deploy',
  asks: '`app.ts` says who gets alarms: write your address there.',
  leaves: ['cdk.out'],
  files: (examples, names) => [
    {
      path: 'app.ts',
      what: 'table, sweeper, and the consumer with its queue, dead letters, mapping, role, alarms',
      text: renamed(edited(examples['examples/cdk/app.ts'], ['examples/cdk/', 'src/']), names),
    },
    { path: 'cdk.json', what: 'how the app starts', text: '{ "app": "node app.ts" }\n' },
  ],
  add: {
    consumer: (examples, names) => {
      const what = 'a queue, dead letters, mapping, function, role, alarms'
      const text = edited(examples['examples/cdk/addRefunds.ts'], [
        'LineclearCall',
        'LineclearConsumer',
      ])
      return toApp(names, what, renamed(text, names, 'refunds'))
    },
    flow: (examples, names) => {
      const text = renamed(examples['examples/cdk/addDelivery.ts'], names, 'delivery')
      const what = 'for each stage a queue, dead letters, mapping, function, role, alarms'
      return toApp(names, what, text)
    },
    function: (examples, names) => {
      const text = renamed(examples['examples/cdk/addRefunds.ts'], names, 'refunds')
      return toApp(names, 'a function, its role, alarms', text)
    },
  },
}

/** Into a file of its own, which the app calls. */
function toApp({ kebab, pascal }: Names, what: string, example: string): Addition {
  const path = `deploy/${kebab}.ts`
  return {
    files: [{ path, what, text: edited(example, ['examples/cdk/', 'src/']) }],
    inserts: [
      { path: 'app.ts', at: 'first', text: `import { add${pascal} } from './${path}'\n` },
      { path: 'app.ts', at: 'last', text: `add${pascal}(stack, table)\n` },
    ],
  }
}
