import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { loadConfig } from '#foundation/settings/config.ts'
import { settings } from '#foundation/settings/settings.ts'
import { PARTS } from '../src/cli/addresses.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { scripts } = JSON.parse(read('package.json')) as { scripts: { start: string } }
/** What `npm start` runs, from its flags on. */
const START = scripts.start.slice(scripts.start.indexOf('--max-semi-space-size')).split(' ')
/** The largest upload, an import of people (src/sso/lifecycle/bulk/upload.ts), and the form around it. */
const LARGEST = 25 * 2 ** 20 + 256 * 2 ** 10

/** Values that stand for what operators put in. */
const GIVEN: Record<string, string> = {
  DOMAIN: 'example.org',
  MASTER_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
}
const filled = (text: string) =>
  text.replaceAll(/\$\{(\w+):\?[^}]*\}/g, (_, name: string) => GIVEN[name] ?? 'given')

type Environment = Record<string, string>
type Container = { image?: string; command?: string[]; environment?: Environment; volumes?: string[] }
type Compose = {
  services: Record<string, Container & Record<string, unknown>>
  networks: { inside: { ipam: { config: { subnet: string }[] } } }
  volumes: Record<string, unknown>
}

/** Throws where the program would not start with these settings. */
function start(environment: Environment) {
  const strange = Object.keys(environment).filter((name) => !(name in settings))
  assert.deepEqual(strange, [], 'no settings')
  return loadConfig({ HOST: '0.0.0.0', ...environment })
}

describe('the image', () => {
  const dockerfile = read('deploy/Dockerfile')

  test('runs what npm start runs, and not as root', () => {
    const [, command = '[]'] = /^ENTRYPOINT (\[.*\])$/m.exec(dockerfile) ?? []
    assert.deepEqual(JSON.parse(command), ['node_modules/.bin/node', ...START])
    assert.match(dockerfile, /^USER 10001:10001$/m)
    const [, environment = ''] = /^ENV (.*)$/m.exec(dockerfile) ?? []
    const names = environment.split(' ').map((pair) => pair.split('=')[0] ?? '')
    assert.deepEqual(
      names.filter((name) => !(name in settings)),
      ['NODE_COMPILE_CACHE'],
    )
  })

  test('copies only what .dockerignore lets in', () => {
    const ignored = read('.dockerignore').split('\n')
    const copied = Array.from(dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm), ([, paths = '']) =>
      paths.split(' '),
    )
    assert.deepEqual(
      copied.flat().filter((path) => !ignored.includes(`!${path}`)),
      [],
    )
    assert.equal(ignored[0], '*')
  })
})

test('the unit of systemd runs what npm start runs, with settings that exist', () => {
  const unit = read('deploy/lyceum.service')
  assert.match(unit, new RegExp(`^ExecStart=/opt/lyceum/node_modules/.bin/node ${START.join(' ')}$`, 'm'))
  const [, environment = ''] = /^Environment=(.*)$/m.exec(unit) ?? []
  const { NODE_COMPILE_CACHE, ...own } = Object.fromEntries(
    environment.split(' ').map((pair) => pair.split('=') as [string, string]),
  )
  assert.equal(NODE_COMPILE_CACHE, '/var/cache/lyceum')
  start({ HOST: '127.0.0.1', ...own })
})

describe('the compose files', () => {
  for (const file of ['compose.yaml', 'compose.ha.yaml'])
    test(`${file} starts Lyceum with valid settings, closed and read-only`, () => {
      const { services, networks, volumes } = parse(filled(read(`deploy/${file}`)), {
        merge: true,
      }) as Compose
      const ours = Object.values(services).filter(({ image }) => image === 'lyceum')
      assert.ok(ours.length > 0)
      for (const { environment = {}, ...service } of ours) {
        const { TRUSTED_PROXIES } = start(environment)
        assert.deepEqual(TRUSTED_PROXIES, [networks.inside.ipam.config[0]?.subnet])
        assert.deepEqual(
          [service['read_only'], service['cap_drop'], service['tmpfs'], service['ports']],
          [true, ['ALL'], ['/tmp'], undefined],
        )
      }
      for (const [name, { volumes: mounts = [], depends_on = [] }] of Object.entries(services)) {
        const named = mounts
          .map((mount) => mount.split(':')[0] ?? '')
          .filter((source) => !source.startsWith('.'))
        assert.deepEqual(
          named.filter((source) => !(source in volumes)),
          [],
          name,
        )
        const others = Array.isArray(depends_on)
          ? (depends_on as string[])
          : Object.keys(depends_on as object)
        assert.deepEqual(
          others.filter((other) => !(other in services)),
          [],
          name,
        )
      }
      const {
        SSO_NODES = '',
        LEARNING_NODES = '',
        COLLECTIONS_NODES = '',
      } = services['caddy']?.environment ?? {}
      for (const [nodes, port] of [
        [SSO_NODES, settings.SSO_PORT.default],
        [LEARNING_NODES, settings.LEARNING_PORT.default],
        [COLLECTIONS_NODES, settings.COLLECTIONS_PORT.default],
      ] as const)
        for (const node of nodes.split(' ')) {
          const [host = '', given] = node.split(':')
          assert.deepEqual([services[host]?.image, Number(given)], ['lyceum', port], node)
        }
    })
})

type Labels = Record<string, string>
type Resource = {
  kind: string
  metadata: { name: string; namespace?: string }
  data?: Environment
  stringData?: Environment
  spec: Record<string, unknown> & {
    template: { metadata: { labels: Labels }; spec: Pod }
    selector: { matchLabels: Labels }
    scaleTargetRef: { kind: string; name: string }
    rules: { http: { paths: { backend: { service: { name: string } } }[] } }[]
  }
}
type Probe = { httpGet: { path: string } }
type Pod = {
  securityContext: { runAsNonRoot: boolean }
  containers: {
    args: string[]
    ports?: { containerPort: number }[]
    readinessProbe?: Probe
    livenessProbe?: Probe
    startupProbe?: Probe
    securityContext: { readOnlyRootFilesystem: boolean; allowPrivilegeEscalation: boolean }
    volumeMounts: { name: string; mountPath: string }[]
  }[]
}

describe('the manifests for Kubernetes', () => {
  const resources = readdirSync(join(root, 'deploy/kubernetes')).flatMap((file) =>
    parseAllDocuments(read(`deploy/kubernetes/${file}`)).map((document) => {
      assert.deepEqual(document.errors, [], file)
      return document.toJS() as Resource
    }),
  )
  const of = (...kinds: string[]) => resources.filter(({ kind }) => kinds.includes(kind))
  const workloads = of('Deployment', 'StatefulSet', 'Job')

  test('hold valid settings', () => {
    const environment = { ...of('ConfigMap')[0]?.data, ...of('Secret')[0]?.stringData }
    start({ ...environment, MASTER_KEY: GIVEN['MASTER_KEY'] ?? '' })
  })

  test('run every part of the program once, and the migrations', () => {
    assert.deepEqual(
      workloads.flatMap(({ spec }) => spec.template.spec.containers.flatMap(({ args }) => args)).toSorted(),
      [...PARTS, 'migrate'].toSorted(),
    )
  })

  test('run nothing as root and write nowhere but to volumes', () => {
    for (const { metadata, spec } of workloads) {
      const { securityContext, containers } = spec.template.spec
      assert.equal(securityContext.runAsNonRoot, true, metadata.name)
      for (const one of containers) {
        assert.equal(one.securityContext.readOnlyRootFilesystem, true)
        assert.equal(one.securityContext.allowPrivilegeEscalation, false)
        assert.deepEqual(one.volumeMounts.map(({ mountPath }) => mountPath).toSorted(), ['/data', '/tmp'])
      }
    }
  })

  for (const name of ['sso', 'learning', 'collections'] as const)
    test(`scale ${name}, keep one of it, and ask its health at its port`, () => {
      const named = (kind: string) => of(kind).find(({ metadata }) => metadata.name === name)
      const labels = named('Deployment')?.spec.template.metadata.labels
      assert.ok(labels)
      assert.deepEqual(named('Deployment')?.spec.selector.matchLabels, labels)
      assert.deepEqual(named('PodDisruptionBudget')?.spec.selector.matchLabels, labels)
      assert.deepEqual(named('Service')?.spec.selector, labels)
      assert.deepEqual(named('HorizontalPodAutoscaler')?.spec.scaleTargetRef, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name,
      })
      const [container] = named('Deployment')?.spec.template.spec.containers ?? []
      const port = settings[`${name.toUpperCase() as 'SSO' | 'LEARNING' | 'COLLECTIONS'}_PORT`].default
      assert.equal(container?.ports?.[0]?.containerPort, port)
      assert.deepEqual(
        [container.readinessProbe, container.livenessProbe, container.startupProbe].map(
          (probe) => probe?.httpGet.path,
        ),
        ['/readyz', '/livez', '/livez'],
      )
    })

  test('let in only the ingress and Prometheus', () => {
    const [all] = of('NetworkPolicy').filter(({ metadata }) => metadata.name === 'lyceum')
    assert.deepEqual(all?.spec['podSelector'], {})
    assert.deepEqual(all?.spec['policyTypes'], ['Ingress', 'Egress'])
    assert.equal(all?.spec['ingress'], undefined)
    const services = of('Service').map(({ metadata }) => metadata.name)
    for (const { http } of of('Ingress')[0]?.spec.rules ?? [])
      for (const { backend } of http.paths) assert.ok(services.includes(backend.service.name))
  })
})

test('every proxy lets the largest upload through', () => {
  const sizes = [
    /client_max_body_size (\d+)m;/.exec(read('deploy/nginx.conf')),
    /max_size (\d+)MiB/.exec(read('deploy/Caddyfile')),
    /proxy-body-size: (\d+)m/.exec(read('deploy/kubernetes/30-network.yaml')),
  ]
  for (const size of sizes) assert.ok(Number(size?.[1]) * 2 ** 20 >= LARGEST)
  assert.match(read('src/sso/lifecycle/bulk/upload.ts'), /^const MAX_BYTES = 25 \* 1_048_576$/m)
})
