import { stagesOf } from './consumerParts.ts'
import { type Insert, type Section, sweeper, type Tool } from './project.ts'
import { edited, found, type Names, namesOf, renamed } from './text.ts'

const FOLDER = 'examples/deploy/terraform'

export const terraform: Tool = {
  title: 'Terraform',
  mark: 'main.tf',
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
    {
      path: 'modules/table/main.tf',
      what: 'table and the topic of alarms',
      text: examples[`${FOLDER}/modules/table/main.tf`],
    },
    {
      path: 'modules/consumer/main.tf',
      what: 'queue, dead letters, mapping, function, role, alarms',
      text: examples[`${FOLDER}/modules/consumer/main.tf`],
    },
    {
      path: 'modules/sweeper/main.tf',
      what: 'function, schedule, role, alarms',
      text: examples[`${FOLDER}/modules/sweeper/main.tf`],
    },
    {
      path: 'build.ts',
      what: 'bundles and zips the functions',
      text: examples[`${FOLDER}/build.ts`],
    },
    sweeper(examples),
  ],
  add: {
    consumer: (examples, names) => {
      const text = renamed(found(examples[`${FOLDER}/main.tf`], MODULE), names)
      return {
        files: [{ path: `${names.kebab}.tf`, what: 'the module, with its name', text }],
        inserts: [sweeps(names)],
      }
    },
    flow: (examples, names) => {
      const block = found(examples[`${FOLDER}/main.tf`], MODULE)
      const all = stagesOf(names)
      const urls = all.map(
        (each) =>
          // As terraform fmt aligns them.
          `    ${`${each.name.toUpperCase()}_QUEUE`.padEnd(12)} = module.${each.names.kebab}.queue_url\n`,
      )
      const stages = all.map(({ name, names: { kebab }, next }) => {
        const sends = next ? `  sends_to  = [module.${next.kebab}.queue_arn]\n` : ''
        return edited(
          renamed(block, { ...names, kebab }),
          [
            `= "${kebab}"`,
            `= "${name}"\n  flow      = "${names.kebab}"\n  handler   = "index.${name}"`,
          ],
          [`dist/${kebab}.zip`, `dist/${names.kebab}.zip`],
          [/\}\n$/g, `${sends}  environment = {\n${urls.join('')}  }\n}\n`],
        )
      })
      const what = 'for each stage a queue, dead letters, mapping, function, role, alarms'
      return {
        files: [{ path: `${names.kebab}.tf`, what, text: stages.join('\n') }],
        // The timeout of its awaited step.
        inserts: [sweeps(namesOf(`${names.kebab}-booked`))],
      }
    },
    function: (examples, names) => {
      const block = renamed(found(examples[`${FOLDER}/main.tf`], MODULE), names)
      const text = edited(block, ['modules/consumer', 'modules/function'])
      const module = examples[`${FOLDER}/modules/function/main.tf`]
      return {
        files: [
          { path: `${names.kebab}.tf`, what: 'the module, with its name', text },
          {
            path: 'modules/function/main.tf',
            what: 'function, role, alarms',
            text: module,
            shared: true,
          },
        ],
        inserts: [],
      }
    },
  },
}

/** Lets the sweeper send to the queue of this consumer. */
function sweeps({ kebab }: Names): Insert {
  return { path: 'main.tf', at: SWEEPS, text: `    module.${kebab}.queue_arn,\n` }
}

const SWEEPS: Section = {
  name: 'sends_to',
  start: /^ {2}sends_to = \[$/m,
  end: /^ {2}\]/m,
  keys: /(?<=^ {4})module\.\S+(?=,)/gm,
}

const MODULE = /^module "orders" \{[^]*?^\}\n/m
