BEGIN{print (}
