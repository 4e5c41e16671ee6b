// Links in mails carry their token behind the #, which no server and no Referer ever sees. The forms take it over.
const token = new URLSearchParams(location.hash.slice(1)).get('token')
const forms = [...document.querySelectorAll('form[data-takes-fragment]')]

for (const form of token ? forms : []) {
  form.elements.token.value = token
  form.querySelector('[data-token-field]')?.setAttribute('hidden', '')
}
if (token) history.replaceState(null, '', location.pathname + location.search)

// The host is a number: no browser keeps a passkey for it.
const knowsPasskeys =
  window.PublicKeyCredential?.parseCreationOptionsFromJSON && !/^[\d.]+$|:/.test(location.hostname)
const choice = document.querySelector('[data-passkey-choice]')
if (choice && knowsPasskeys && choice.querySelector('form').elements.token.value !== '') choice.hidden = false
