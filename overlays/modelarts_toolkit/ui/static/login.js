// Exchanges the token in the address for a cookie, and takes it out of the address.
const token = new URLSearchParams(location.hash.slice(1)).get("token");
if (token) {
  history.replaceState(null, "", location.pathname + location.search);
  const response = await fetch("/session", {
    method: "POST",
    body: new URLSearchParams({ token }),
    redirect: "manual",
  });
  if (response.type === "opaqueredirect") location.reload();
  else document.getElementById("state").textContent = "This token is not of the page that runs now: open the address that modelarts ui printed last.";
}
