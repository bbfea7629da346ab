#directory "+compiler-libs";;
let golf_mark = input_line stdin;;
let golf_frame kind text = print_string (golf_mark ^ kind ^ text ^ golf_mark ^ "\n"); flush stdout;;
let golf_run loud phrase =
  let b = Buffer.create 999 in
  let ppf = Format.formatter_of_buffer b in
  Format.pp_set_margin ppf 1000000;
  let ok = try Toploop.execute_phrase loud ppf phrase with Sys.Break -> exit 3 | e -> Buffer.add_string b (Printexc.to_string e); false in
  Format.pp_print_flush ppf ();
  (ok, Buffer.contents b);;
let golf_load file =
  let ic = open_in_bin file in
  let code = really_input_string ic (in_channel_length ic) in
  close_in ic;
  try
    List.iter (fun phrase -> match golf_run false phrase with (true, _) -> () | (false, why) -> prerr_string why; exit 2)
      (!Toploop.parse_use_file (Lexing.from_string code))
  with e -> prerr_string (Printexc.to_string e); exit 2;;
golf_load (Filename.concat (Filename.dirname Sys.argv.(0)) "answer");;
let golf_value text =
  let n = String.length text in
  let rec cut k = if k + 3 > n then text else if String.sub text k 3 = " = " then String.sub text (k + 3) (n - k - 3) else cut (k + 1) in
  String.trim (cut 0);;
let golf_call a = Printf.sprintf "({call})" {numbers};;
let golf_phrase s = !Toploop.parse_toplevel_phrase (Lexing.from_string s);;
let golf_starts p s = String.length s >= String.length p && String.sub s 0 (String.length p) = p;;
(match golf_run true (golf_phrase ("let golf_test () = " ^ golf_call [{ones}] ^ ";;")) with (true, _) -> () | (false, why) -> prerr_string why; exit 2);;
golf_frame "l" "";;
let rec golf_all () =
  match input_line stdin with
  | exception End_of_file -> ()
  | line ->
    let a = List.map int_of_string (String.split_on_char ' ' line) in
    (match golf_run true (golf_phrase (golf_call a ^ ";;")) with
     | (_, text) when golf_starts "- : unit" text -> golf_frame "n" "()"
     | (true, text) -> golf_frame "v" (golf_value text)
     | (false, text) -> golf_frame "e" (String.trim text));
    golf_all ();;
golf_all ();;
