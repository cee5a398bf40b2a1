import { stagesOf } from './consumerParts.ts'
import type { Examples } from './examples.ts'
import { type Insert, type ProjectFile, type FileSection, sweeper, type Tool } from './project.ts'
import { edited, found, type Names, namesOf, renamed } from './text.ts'

const FOLDER = 'examples/deploy/terraform'
const PACKAGE =
  'Each package is a zip, which\n# your build makes, with the bundled handler as index.mjs.'

export const terraform: Tool = {
  title: 'Terraform',
  mark: 'main.tf',
  needs: [/^module "table" \{$/m, /^module "sweeper" \{$/m, /^ {2}sends_to = \[$/m],
  knownBy: ['main.tf'],
  bare: (examples) =>
    edited(
      examples[`${FOLDER}/main.tf`],
      [/^module "orders" \{[^]*?^\}\n\n/gm, ''],
      [/^ {4}module\.orders\.queue_arn,\n/gm, ''],
      // Its author has a build.
      [/`node build\.ts` makes the packages: each[^]*?index\.mjs\./g, PACKAGE],
    ),
  paste:
    'into your main.tf: module "lineclear" { source = "./lineclear", alarm_email = "…", stage = "dev" }, one argument a line. Your build makes dist/NAME.zip of src/NAME.ts: the handler, bundled, as index.mjs; also of the sweeper',
  pasteMore: () =>
    'into your main.tf nothing more: its module "lineclear" has what is new. Your build makes dist/NAME.zip for it, too',
  packages: [],
  build: 'node build.ts',
  doctor:
    'terraform init && terraform plan -out plan.out && terraform show -json plan.out > plan.json && lineclear doctor --template plan.json',
  deploy: 'terraform apply plan.out',
  asks: 'Terraform asks for the address that gets alarms, or takes TF_VAR_alarm_email.',
  leaves: ['dist', '.terraform', '*.tfstate*', 'plan.out', 'plan.json'],
  files: (examples, names) => [
    {
      path: 'main.tf',
      what: 'the modules, with the names of this consumer',
      text: renamed(examples[`${FOLDER}/main.tf`], names),
    },
    copied(examples, 'modules/table/main.tf', 'table and the topic of alarms'),
    copied(
      examples,
      'modules/consumer/main.tf',
      'queue, dead letters, mapping, function, role, alarms',
    ),
    copied(examples, 'modules/sweeper/main.tf', 'function, schedule, role, alarms'),
    copied(examples, 'build.ts', 'bundles and zips the functions'),
    sweeper(examples),
  ],
  add: {
    consumer: (examples, names) => ({
      files: [moduleOf(names, renamed(moduleIn(examples), names))],
      inserts: [sweeps(names)],
    }),
    flow: (examples, names) => {
      const block = moduleIn(examples)
      const all = stagesOf(names)
      const urls = all.map(
        (each) =>
          // As terraform fmt aligns them.
          `    ${`${each.name.toUpperCase()}_QUEUE`.padEnd(12)} = module.${each.names.kebab}.queue_url\n`,
      )
      const stages = all.map(({ name, names: { kebab }, next, lateKeys }) => {
        const sends = next ? `  sends_to  = [module.${next.kebab}.queue_arn]\n` : ''
        const keys = lateKeys.map((key) => `  also_keys = ["${key}"]\n`).join('')
        return edited(
          renamed(block, { ...names, kebab }),
          [
            `= "${kebab}"`,
            `= "${name}"\n  flow      = "${names.kebab}"\n  handler   = "index.${name}"`,
          ],
          [`dist/${kebab}.zip`, `dist/${names.kebab}.zip`],
          [/\}\n$/g, `${keys}${sends}  environment = {\n${urls.join('')}  }\n}\n`],
        )
      })
      const what = 'for each stage a queue, dead letters, mapping, function, role, alarms'
      return {
        files: [moduleOf(names, stages.join('\n'), what)],
        // The timeout of its awaited step.
        inserts: [sweeps(namesOf(`${names.kebab}-booked`))],
      }
    },
    function: (examples, names) => {
      const block = renamed(moduleIn(examples), names)
      const text = edited(block, ['modules/consumer', 'modules/function'])
      const module = copied(examples, 'modules/function/main.tf', 'function, role, alarms')
      return { files: [moduleOf(names, text), { ...module, shared: true }], inserts: [] }
    },
  },
}

type Copied = 'build.ts' | `modules/${'table' | 'consumer' | 'sweeper' | 'function'}/main.tf`

function copied(examples: Examples, path: Copied, what: string): ProjectFile {
  return { path, what, text: examples[`${FOLDER}/${path}`] }
}

/** The call of the module of a consumer. */
function moduleIn(examples: Examples): string {
  return found(examples[`${FOLDER}/main.tf`], /^module "orders" \{[^]*?^\}\n/m)
}

function moduleOf({ kebab }: Names, text: string, what = 'the module, with its name'): ProjectFile {
  return { path: `${kebab}.tf`, what, text }
}

/** Lets the sweeper send to the queue of this consumer. */
function sweeps({ kebab }: Names): Insert {
  return { path: 'main.tf', at: SWEEPS, text: `    module.${kebab}.queue_arn,\n` }
}

const SWEEPS: FileSection = {
  name: 'sends_to',
  start: /^ {2}sends_to = \[$/m,
  end: /^ {2}\]/m,
  keys: /(?<=^ {4})module\.\S+(?=,)/gm,
}
