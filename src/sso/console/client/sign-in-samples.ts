/* How a site registers a person and signs them in, with nothing but what each language brings. */

const PERSON = { email: 'ada@example.org', password: 'analytical engine 1843' }

export function signInSamples(sso: string, site_key: string) {
  const json = JSON.stringify(PERSON)
  const curl = (act: string) => `curl -sS ${sso}/api/v1/auth/${act} \\
  -H 'X-SSO-Site-Key: ${site_key}' \\
  -H 'Content-Type: application/json' \\
  -d '${json}'`
  const node = `const headers = {
  'X-SSO-Site-Key': '${site_key}',
  'Content-Type': 'application/json',
}
const body = JSON.stringify({ email: '${PERSON.email}', password: '${PERSON.password}' })
for (const act of ['register', 'login']) {
  const reply = await fetch(\`${sso}/api/v1/auth/\${act}\`, { method: 'POST', headers, body })
  console.log(JSON.stringify(await reply.json()))
}`
  const python = `import json, urllib.error, urllib.request

headers = {
    "X-SSO-Site-Key": "${site_key}",
    "Content-Type": "application/json",
}
body = json.dumps({"email": "${PERSON.email}", "password": "${PERSON.password}"}).encode()
for act in ("register", "login"):
    request = urllib.request.Request(f"${sso}/api/v1/auth/{act}", body, headers)
    try:
        print(urllib.request.urlopen(request).read().decode())
    except urllib.error.HTTPError as error:
        print(error.read().decode())`
  return [
    { name: 'curl', code: `${curl('register')}\n${curl('login')}` },
    { name: 'Node', code: node },
    { name: 'Python', code: python },
  ]
}
