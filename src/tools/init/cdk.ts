import { edited, renamed } from './text.ts'
import type { Tool } from './project.ts'

export const cdk: Tool = {
  title: 'the AWS CDK',
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
}
